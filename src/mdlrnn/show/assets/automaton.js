// The machine that the network has learned, along a string. Counters are BigInts.

const remainderOf = (a, b) => ((a % b) + b) % b;

function sumOf(sum, counters) {
  let total = BigInt(sum.constant);
  for (const [place, factor] of sum.terms) total += BigInt(factor) * counters[place];
  return floorDivide(total, BigInt(sum.divisor));
}

function conditionHolds(condition, counters) {
  const value = sumOf(condition.sum, counters);
  if (condition.relation === "mod") {
    return remainderOf(value, BigInt(condition.base)) === BigInt(condition.digit);
  }
  return condition.relation === "=" ? value === 0n : value > 0n;
}

function enabledRules(machine, here) {
  return machine.rules.filter((rule) => rule.state === here.state &&
    rule.when.every((condition) => conditionHolds(condition, here.counters)));
}

// Where the machine is after each symbol, the boundary first; null once a symbol is impossible.
function configurations(machine, read) {
  let here = { state: machine.start, counters: machine.counters.map(() => 0n), from: null };
  const found = [here];
  for (const symbol of read.slice(1)) {
    const rule = here && enabledRules(machine, here).find((some) => some.symbol === symbol);
    if (!rule) {
      here = null;
    } else {
      const counters = [...here.counters];
      for (const [place, sum] of rule.then) counters[place] = sumOf(sum, here.counters);
      here = { state: rule.to, counters, from: here.state };
    }
    found.push(here);
  }
  return found;
}
