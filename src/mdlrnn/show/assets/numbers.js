// Numbers of the page: exact fractions of BigInts, {n, d}, where a value can be exact, and plain
// doubles where a sigmoid or tanh came in. Mixed with a double, a fraction becomes a double.

const ZERO = { n: 0n, d: 1n };
const ONE = { n: 1n, d: 1n };
const HALF = { n: 1n, d: 2n };
const LARGEST_DENOMINATOR = 1n << 4096n;
const PLACES = 256n;
const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

const isExact = (x) => typeof x === "object";

function gcd(a, b) {
  while (b) {
    if (a <= SAFE && b <= SAFE) {
      let x = Number(a), y = Number(b);
      while (y) [x, y] = [y, x % y];
      return BigInt(x);
    }
    [a, b] = [b, a % b];
  }
  return a;
}

function fraction(n, d) {
  if (d === 1n) return { n, d };
  const common = gcd(n < 0n ? -n : n, d);
  return common === 1n ? { n, d } : { n: n / common, d: d / common };
}

const floorDivide = (n, d) => (n >= 0n || n % d === 0n ? n / d : n / d - 1n);

// The nearest double, ties to even, as Python converts a fraction.
function toNumber(x) {
  if (!isExact(x)) return x;
  if (x.n === 0n) return 0;
  const negative = x.n < 0n;
  const n = negative ? -x.n : x.n;
  const shift = bits(x.d) - bits(n) + 66;
  const scaled = shift >= 0 ? n << BigInt(shift) : n;
  const by = shift >= 0 ? x.d : x.d << BigInt(-shift);
  let quotient = scaled / by;
  if (quotient * by !== scaled) quotient |= 1n; // what is cut off must not look like a tie
  // In two steps, since 2 ** -shift alone can be too small for a double.
  const half = Math.trunc(shift / 2);
  const value = (Number(quotient) * 2 ** -half) * 2 ** -(shift - half);
  return negative ? -value : value;
}

const bits = (n) => n.toString(16).length * 4;

function add(a, b) {
  if (!isExact(a) || !isExact(b)) return toNumber(a) + toNumber(b);
  if (a.d === b.d) return fraction(a.n + b.n, a.d);
  return fraction(a.n * b.d + b.n * a.d, a.d * b.d);
}

function multiply(a, b) {
  if (!isExact(a) || !isExact(b)) return toNumber(a) * toNumber(b);
  return fraction(a.n * b.n, a.d * b.d);
}

function divide(a, b) {
  if (!isExact(a) || !isExact(b)) return toNumber(a) / toNumber(b);
  return b.n > 0n ? fraction(a.n * b.d, a.d * b.n) : fraction(-a.n * b.d, -a.d * b.n);
}

// Negative, 0 or positive as a is below, at or above b.
function compare(a, b) {
  if (isExact(a) && isExact(b)) {
    const left = a.n * b.d, right = b.n * a.d;
    return left < right ? -1 : left > right ? 1 : 0;
  }
  const x = toNumber(a), y = toNumber(b);
  return x < y ? -1 : x > y ? 1 : 0;
}

const atLeast = (a, b) => (compare(a, b) < 0 ? b : a);
const atMost = (a, b) => (compare(a, b) > 0 ? b : a);
// What is cut at 0 because of a double stays a double: its sign may be rounding.
const positive = (x) => (isExact(x) ? atLeast(x, ZERO) : Math.max(x, 0));
const isZero = (x) => (isExact(x) ? x.n === 0n : x === 0);

// Denominators that outgrow 4,096 bits are rounded to 256 binary places, half to even.
function tidy(x) {
  if (!isExact(x) || x.d < LARGEST_DENOMINATOR) return x;
  const scaled = x.n << PLACES;
  let whole = floorDivide(scaled, x.d);
  const twice = 2n * (scaled - whole * x.d);
  if (twice > x.d || (twice === x.d && whole % 2n !== 0n)) whole += 1n;
  return fraction(whole, 1n << PLACES);
}

// A decimal or a fraction as a person writes it; null if it is neither.
function parseNumber(text) {
  const parts = /^([+-]?)(\d{1,15})(?:\.(\d{0,15})|\/(\d{1,15}))?$/.exec(text);
  if (!parts) return null;
  const [, sign, whole, decimals, below] = parts;
  const d = below !== undefined ? BigInt(below) : 10n ** BigInt((decimals || "").length);
  if (d === 0n) return null;
  const n = BigInt(whole + (decimals || ""));
  return fraction(sign === "-" ? -n : n, d);
}

// In full: a fraction as it is, a double to its last digit and never without a point or exponent.
function fullText(x) {
  if (!isExact(x)) return /^-?\d+$/.test(String(x)) ? `${x}.0` : String(x);
  return x.d === 1n ? String(x.n) : `${x.n}/${x.d}`;
}

// As it fits a table: a short fraction as it is, else some digits after a ~ for "rounded".
function shortText(x, longest = 9, digits = 5) {
  if (isExact(x) && bits(x.n < 0n ? -x.n : x.n) < 64 && bits(x.d) < 64) {
    const text = fullText(x);
    if (text.length <= longest) return text.replace("-", "−");
  }
  const value = toNumber(x);
  return "~" + String(Number(value.toPrecision(digits))).replace("-", "−");
}
