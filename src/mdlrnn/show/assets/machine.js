// What a network computes, by the same rules as the package's interpreter: forward inputs,
// recurrent inputs (none at the first step), bias, saturation, activation, in this order.

const LIMIT = { n: 1000000n, d: 1n };
// Where saturation is off: fractions stay within memory, and doubles finite.
const EXACT_CUT = { n: 1n << 262144n, d: 1n };
const FLOAT_CUT = { n: 10n ** 140n, d: 1n };
const MINUS_ONE = { n: -1n, d: 1n };
const LEAST_TOTAL = { n: 1n, d: 100000000n };
const EXP_OVERFLOW = 709.782712893384;

function modulo(x, by) {
  if (isExact(x)) {
    const step = BigInt(by) * x.d;
    return fraction(x.n - step * floorDivide(x.n, step), x.d);
  }
  const rest = x % by;
  return rest < 0 ? rest + by : rest;
}

function sigmoid(x) {
  if (isExact(x) && x.n === 0n) return HALF;
  const value = toNumber(x);
  if (Math.abs(value) > EXP_OVERFLOW) return value > 0 ? ONE : ZERO;
  return 1 / (1 + Math.exp(-value));
}

function tanh(x) {
  if (isExact(x) && x.n === 0n) return ZERO;
  const value = toNumber(x);
  if (Math.abs(value) > EXP_OVERFLOW / 2) return { n: value > 0 ? 1n : -1n, d: 1n };
  return Math.tanh(value);
}

const ACTIVATIONS = {
  linear: (x) => x,
  relu: positive,
  sigmoid,
  square: (x) => multiply(x, x),
  floor: (x) => ({ n: isExact(x) ? floorDivide(x.n, x.d) : BigInt(Math.floor(x)), d: 1n }),
  step: (x) => (compare(x, ZERO) > 0 ? ONE : ZERO),
  mod2: (x) => modulo(x, 2),
  mod3: (x) => modulo(x, 3),
  tanh,
  abs: (x) => add(positive(x), positive(multiply(MINUS_ONE, x))),
  mod4: (x) => modulo(x, 4),
};

// A function from an input row and the values a step before (null at first) to all values.
function stepper(network) {
  const weight = ([n, d]) => fraction(BigInt(n), BigInt(d));
  const forward = network.units.map(() => []), recurrent = network.units.map(() => []);
  network.connections.forEach((c, number) => {
    if (c.kind === "recurrent") recurrent[c.to].push([c.from, weight(c.weight)]);
    else if (!network.ignored.includes(number)) forward[c.to].push([c.from, weight(c.weight)]);
  });
  const biases = network.units.map((unit) => (unit.bias ? weight(unit.bias) : null));

  return (row, previous) => {
    const values = network.units.map(() => ZERO);
    for (const u of network.order) {
      const unit = network.units[u];
      const terms = forward[u].map(([source, w]) => multiply(w, values[source]));
      const some = terms.length > 0;
      if (previous) for (const [source, w] of recurrent[u]) terms.push(multiply(w, previous[source]));
      let total;
      if (unit.type === "product") {
        total = some ? terms.reduce(multiply) : ZERO;
        if (Number.isNaN(total)) total = ZERO; // infinity times 0: only overflow made it so
      } else {
        total = terms.reduce(add, u < network.inputs ? row[u] : ZERO);
      }
      if (biases[u]) total = add(total, biases[u]);
      const most = network.saturation !== false ? LIMIT : isExact(total) ? EXACT_CUT : FLOAT_CUT;
      total = atLeast(multiply(MINUS_ONE, most), atMost(most, total));
      values[u] = tidy(ACTIVATIONS[unit.activation](total));
    }
    return values;
  };
}

// Next-symbol probabilities; with one output, [P(1)].
function distribution(network, values) {
  const outputs = values.slice(network.inputs, network.inputs + network.outputs);
  if (outputs.length === 1) return [atLeast(ZERO, atMost(ONE, outputs[0]))];
  const shares = outputs.map(positive);
  const total = shares.reduce(add, ZERO);
  if (compare(total, LEAST_TOTAL) <= 0) {
    return outputs.map(() => ({ n: 1n, d: BigInt(outputs.length) }));
  }
  const nothing = (share) => isExact(share) && isZero(share);
  const alone = shares.filter((share) => !nothing(share)).length === 1;
  return shares.map((share) => (nothing(share) ? ZERO : alone ? ONE : divide(share, total)));
}

// What is typed, as input rows: {rows, read}, or {error}, a sentence.
function readString(network, text) {
  return network.alphabet ? readSymbols(network, text) : readRows(network, text);
}

function readSymbols(network, text) {
  const words = network.alphabet.some((symbol) => [...symbol].length > 1);
  const symbols = words ? text.split(/\s+/).filter(Boolean) : [...text];
  const others = network.alphabet.filter((symbol) => symbol !== "#");
  const rows = [], read = [];
  for (const [at, symbol] of ["#", ...symbols].entries()) {
    const place = network.alphabet.indexOf(symbol);
    if (at && symbol === "#") {
      return { error: `The boundary # stands at position ${at}; it is added, never written.` };
    }
    if (place < 0) {
      return {
        error: `The network has no unit for “${symbol}” (position ${at}); use its symbols only: ` +
          others.join(words ? " " : ", ") + ".",
      };
    }
    rows.push(network.alphabet.map((_, i) => (i === place ? ONE : ZERO)));
    read.push(symbol);
  }
  return { rows, read };
}

function readRows(network, text) {
  const steps = text.split(/\s+/).filter(Boolean);
  const example = Array(network.inputs).fill("0").join(",");
  const rows = [], read = [];
  if (!steps.length) return { error: `Type a step, such as ${example}; blanks part steps.` };
  for (const [at, step] of steps.entries()) {
    const digits = !step.includes(",") && step.length === network.inputs && /^[01]+$/.test(step);
    const numbers = (digits ? [...step] : step.split(",")).map(parseNumber);
    if (numbers.includes(null)) {
      return { error: `Step ${at + 1}, “${step}”, is not made of numbers; write ${example}.` };
    }
    if (numbers.length !== network.inputs) {
      return {
        error: `Step ${at + 1}, “${step}”, has ${numbers.length} of ${network.inputs} numbers; ` +
          `write ${example}.`,
      };
    }
    rows.push(numbers);
    read.push(numbers.map(fullText).join(","));
  }
  return { rows, read };
}
