// The page at work: typing, stepping, pointing. All text goes in as text, never as HTML.

const data = JSON.parse(document.getElementById("data").textContent);
const network = data.network;
const step = stepper(network);
const $ = (id) => document.getElementById(id);
const ROWS = 15; // of the table of values, around the current step
const SLICE = 40; // milliseconds of computing before the page draws again
const LEAST_SCALE = 0.75; // of the drawing
const LONGEST = 200; // symbols of a generated string

let given = { rows: [], read: [] };
let fed = []; // [{values, chances}] for each step computed so far
let current = 0;
let timer = 0;
let places = []; // where the machine is after each symbol, if there is one

function element(name, attributes = {}, text = null) {
  const svg = ["g", "rect", "text"].includes(name);
  const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", name)
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== null) made.textContent = text;
  return made;
}

// Feeding

function feedString(text, at = null) {
  clearTimeout(timer);
  const result = readString(network, text);
  $("message").textContent = result.error || "";
  $("string").setAttribute("aria-invalid", result.error ? "true" : "false");
  document.body.classList.toggle("stale", Boolean(result.error)); // what is shown is of before
  if (result.error) return;
  given = result;
  fed = [];
  places = data.machine ? configurations(data.machine, given.read) : [];
  $("slider").max = given.rows.length - 1;
  current = Math.max(0, Math.min(at === null ? given.rows.length - 1 : at, given.rows.length - 1));
  drawStrip();
  goOn();
}

function goOn() {
  const start = performance.now();
  const before = fed.length;
  while (fed.length < given.rows.length) {
    const previous = fed.length ? fed[fed.length - 1].values : null;
    const values = step(given.rows[fed.length], previous);
    fed.push({ values, chances: distribution(network, values) });
    if (performance.now() - start > SLICE) break;
  }
  fillStrip(before);
  show();
  if (fed.length < given.rows.length) timer = setTimeout(goOn, 0);
}

// Showing

const COLOURS = 16; // beyond these they come again, striped
const colour = (output) => (network.outputs === 1 ? "s2" : `s${output % COLOURS}`);
const isStriped = (output) => Math.floor(output / COLOURS) % 2 === 1;
const look = (output) => `${colour(output)}${isStriped(output) ? " striped" : ""}`;

function labels() {
  if (network.alphabet) return network.alphabet;
  return network.outputs === 1 ? ["1"] : [...Array(network.outputs).keys()].map(String);
}

function show() {
  const now = fed[Math.min(current, fed.length - 1)];
  if (!now) return;
  const at = Math.min(current, fed.length - 1);
  $("slider").value = current;
  const name = given.read[at] === "#" && at === 0 && network.alphabet ? "the boundary #" : given.read[at];
  const where = `step ${at} of ${given.rows.length - 1}: ${name} is read`;
  $("where").textContent = where;
  $("slider").setAttribute("aria-valuetext", where);
  $("back").disabled = current <= 0;
  $("next").disabled = current >= given.rows.length - 1;
  showOnDrawing(now.values);
  showChances(now.chances);
  showMachine(at);
  showTable(at);
  markStrip(at);
  keepInAddress();
}

function showOnDrawing(values) {
  document.querySelectorAll("#drawing [data-unit]").forEach((group) => {
    const u = Number(group.dataset.unit);
    const circle = group.querySelector("circle");
    let text = group.querySelector(".value");
    if (!text) {
      const y = Number(circle.getAttribute("cy")) + 18;
      text = element("text", { class: "value", x: circle.getAttribute("cx"), y, "text-anchor": "middle" });
      group.append(text);
      group.classList.add("stepping");
    }
    const shown = network.order.includes(u) ? shortText(values[u], 7, 2) : "–";
    text.textContent = shown;
    text.setAttribute("font-size", shown.length > 6 ? 8 : 10);
    group.classList.toggle("on", !isZero(values[u]));
  });
}

function showChances(chances) {
  const rows = labels().map((label, i) => {
    const row = element("div", { class: "chance" });
    const bar = element("span", { class: `bar ${look(i)}` });
    bar.style.width = `${100 * toNumber(chances[i])}%`;
    const track = element("span", { class: "track" });
    track.append(bar);
    const text = element("output", { "data-value": fullText(chances[i]) }, shortText(chances[i]));
    const symbol = element("span", { class: "symbol" });
    symbol.append(element("span", { class: `swatch ${look(i)}` }), `P(${label})`);
    row.append(symbol, track, text);
    return row;
  });
  $("chances").replaceChildren(...rows);
}

function showMachine(at) {
  if (!data.machine) return;
  const here = places[at];
  document.querySelectorAll("#machine .here").forEach((group) => group.classList.remove("here"));
  for (const group of here ? document.querySelectorAll("#machine g") : []) {
    const { state, from, to } = group.dataset;
    const moved = here.from !== null && from === here.from && to === here.state;
    group.classList.toggle("here", state === here.state || moved);
  }
  const counters = here ? here.counters.map((value, i) => `, ${data.machine.counters[i]} = ${value}`) : [];
  const next = (here ? enabledRules(data.machine, here) : []).map((rule) => {
    const [above, below] = rule.chance;
    return `P(${rule.symbol}) = ${below === "1" ? above : `${above}/${below}`}`;
  });
  $("machine-where").textContent = here
    ? `The machine is in state ${here.state}${counters.join("")}: ${next.join(", ")}.`
    : "The machine has no string that begins so.";
  const circle = document.querySelector("#machine .here circle");
  const box = $("machine");
  if (circle && box.scrollWidth > box.clientWidth) {
    const left = circle.getBoundingClientRect().left - box.getBoundingClientRect().left;
    if (left < 20 || left > box.clientWidth - 60) box.scrollLeft += left - box.clientWidth / 2;
  }
}

function showTable(at) {
  const first = Math.max(0, Math.min(at - (ROWS >> 1), given.rows.length - ROWS));
  const rows = [];
  for (let i = first; i < Math.min(first + ROWS, fed.length); i++) {
    const row = element("tr", i === at ? { "aria-current": "step" } : {});
    row.append(element("th", { scope: "row", "data-label": "step" }, `${i}`),
      element("td", { class: "read", "data-label": "read" }, given.read[i]));
    fed[i].chances.forEach((value, k) => {
      row.append(element("td", {
        class: "p", "data-label": `P(${labels()[k]})`, "data-chance": k, "data-value": fullText(value),
      }, shortText(value)));
    });
    for (const u of network.shown) {
      const value = fed[i].values[u];
      const shown = network.order.includes(u) ? shortText(value) : "–";
      row.append(element("td", {
        "data-label": `u${u}`, "data-unit-value": u, "data-value": fullText(value),
      }, shown));
    }
    rows.push(row);
  }
  $("rows").replaceChildren(...rows);
}

// The strip: the probabilities after each symbol, as stacked bars

const LEAST_WIDTH = 18, HEIGHT = 90, LETTERS = 24; // of a symbol; only longer ones are cut
const pen = document.createElement("canvas").getContext("2d");
let barWidth = LEAST_WIDTH;

function stripLabel(symbol) {
  const letters = [...symbol];
  return letters.length > LETTERS ? letters.slice(0, LETTERS - 1).join("") + "…" : symbol;
}

// A bar is as wide as the widest symbol under it, and all together at least as wide as the page.
function drawStrip() {
  const count = given.rows.length;
  const strip = $("strip");
  pen.font = `bold 12px ${getComputedStyle(strip).fontFamily}`;
  barWidth = Math.max(LEAST_WIDTH, $("strip-box").clientWidth / count);
  for (const symbol of new Set(given.read)) {
    barWidth = Math.max(barWidth, pen.measureText(stripLabel(symbol)).width + 8);
  }
  strip.setAttribute("width", count * barWidth);
  strip.setAttribute("height", HEIGHT + 22);
  strip.setAttribute("viewBox", `0 0 ${count * barWidth} ${HEIGHT + 22}`);
  strip.replaceChildren();
}

function fillStrip(from) {
  const added = document.createDocumentFragment();
  for (let i = from; i < fed.length; i++) {
    const group = element("g", { "data-step": i });
    let top = 0;
    const chances = network.outputs === 1 ? [fed[i].chances[0]] : fed[i].chances;
    chances.forEach((chance, k) => {
      const size = toNumber(chance) * HEIGHT;
      if (size > 0.05) {
        const y = network.outputs === 1 ? HEIGHT - size : top;
        for (const fill of isStriped(k) ? [colour(k), "striped"] : [colour(k)]) {
          group.append(element("rect", {
            class: fill, x: i * barWidth + 1, y: y.toFixed(2), width: barWidth - 2, height: size.toFixed(2),
          }));
        }
      }
      top += size;
    });
    const text = stripLabel(given.read[i]);
    group.append(element("text", { x: (i + 0.5) * barWidth, y: HEIGHT + 15, "text-anchor": "middle" }, text));
    added.append(group);
  }
  $("strip").append(added);
}

function markStrip(at) {
  const strip = $("strip");
  const old = strip.querySelector(".here");
  if (old) old.classList.remove("here");
  const now = strip.querySelector(`[data-step="${at}"]`);
  if (!now) return;
  now.classList.add("here");
  const box = $("strip-box"), x = at * barWidth;
  if (x < box.scrollLeft || x > box.scrollLeft + box.clientWidth - barWidth + 1) {
    box.scrollLeft = x - box.clientWidth / 2;
  }
}

// Pointing at the drawing or at the bits

function aboutUnit(u) {
  const unit = data.units[u];
  const whole = unit.own + unit.out;
  const more = unit.outgoing
    ? `, and ${unit.out} for its ${unit.outgoing} outgoing connection${unit.outgoing > 1 ? "s" : ""}: ${whole} in all`
    : "";
  return `${unit.title}. ${unit.own} bits for the unit itself${more}.`;
}

function point(kind, number) {
  document.querySelectorAll(".pointed").forEach((item) => item.classList.remove("pointed"));
  if (kind === null) return;
  const parts = [...document.querySelectorAll("#bits [data-part]")].filter((span) => {
    const part = data.parts[Number(span.dataset.part)];
    if (kind === "connection") return part.connection === number;
    if (kind === "bias") return part.unit === number && part.kind === "bias";
    return part.unit === number && part.connection === null;
  });
  parts.forEach((span) => span.classList.add("pointed"));
  const group = document.querySelector(`#drawing [data-${kind}="${number}"]`);
  if (group) group.classList.add("pointed");
  const bits = parts.map((span) => span.dataset.bits).join(" ");
  const size = parts.reduce((sum, span) => sum + span.dataset.bits.length, 0);
  const words = kind === "unit" ? aboutUnit(number)
    : kind === "connection" ? `${data.connections[number]}. ${size} bits.`
      : `The bias of unit ${number}: ${size} bits.`;
  $("about").replaceChildren(element("span", {}, words + " "), element("code", {}, bits));
}

function pointAt(target) {
  const group = target.closest("[data-unit], [data-connection], [data-bias]");
  if (group) {
    for (const kind of ["unit", "connection", "bias"]) {
      if (group.dataset[kind] !== undefined) point(kind, Number(group.dataset[kind]));
    }
    return;
  }
  const span = target.closest("[data-part]");
  if (!span) return;
  const part = data.parts[Number(span.dataset.part)];
  if (part.connection !== null) point("connection", part.connection);
  else if (part.kind === "bias") point("bias", part.unit);
  else if (part.unit !== null) point("unit", part.unit);
  if (part.unit === null) point(null);
  $("about").prepend(element("b", {}, `${part.label}: `));
  if (part.unit === null) $("about").replaceChildren(element("b", {}, `${part.label} `), element("code", {}, part.bits));
}

// The address keeps the string, so that a page can be reloaded or passed on as it stands

function keepInAddress() {
  const state = new URLSearchParams({ s: $("string").value, i: current });
  try {
    history.replaceState(null, "", "#" + state);
  } catch { /* a page inside another may not change its address */ }
}

function go(to) {
  current = Math.max(0, Math.min(to, given.rows.length - 1));
  show();
}

function generate() {
  const symbols = [];
  let values = null, row = network.alphabet.map((s) => (s === "#" ? ONE : ZERO));
  while (symbols.length < LONGEST) {
    values = step(row, values);
    let rest = Math.random();
    const chances = distribution(network, values).map(toNumber);
    let next = chances.findIndex((chance) => (rest -= chance) < 0);
    if (next < 0) next = chances.indexOf(Math.max(...chances));
    if (network.alphabet[next] === "#") break;
    symbols.push(network.alphabet[next]);
    row = network.alphabet.map((_, i) => (i === next ? ONE : ZERO));
  }
  const words = network.alphabet.some((symbol) => [...symbol].length > 1);
  $("string").value = symbols.join(words ? " " : "");
  feedString($("string").value);
  if (symbols.length === LONGEST) $("message").textContent = `Cut off after ${LONGEST} symbols.`;
  else if (!symbols.length) $("message").textContent = "The network ended at once: the empty string.";
}

// Wiring

$("string").addEventListener("input", () => feedString($("string").value));
$("slider").addEventListener("input", () => go(Number($("slider").value)));
$("back").addEventListener("click", () => go(current - 1));
$("next").addEventListener("click", () => go(current + 1));
$("strip").addEventListener("click", (event) => {
  const group = event.target.closest("[data-step]");
  if (group) go(Number(group.dataset.step));
});
$("generate")?.addEventListener("click", generate);
addEventListener("resize", () => {
  drawStrip();
  fillStrip(0);
  markStrip(Math.min(current, fed.length - 1));
});
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea, select");
  if (typing || event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.target.closest?.("#strip-box, .scroll")) return; // these scroll by arrow keys
  if (event.key === "ArrowLeft") go(current - 1);
  else if (event.key === "ArrowRight") go(current + 1);
  else return;
  event.preventDefault();
});
// In the field the arrows move the cursor; with up and down one steps without leaving it.
$("string").addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown") go(current + 1);
  else if (event.key === "ArrowUp") go(current - 1);
  else return;
  event.preventDefault();
});
for (const id of ["drawing", "bits"]) {
  for (const kind of ["pointerover", "focusin", "click"]) {
    $(id).addEventListener(kind, (event) => pointAt(event.target));
  }
}
document.querySelectorAll("#drawing [data-unit], #drawing [data-connection], #drawing [data-bias]")
  .forEach((group) => group.setAttribute("tabindex", "0"));
const drawn = $("drawing").querySelector("svg");
drawn.setAttribute("role", "group");
drawn.style.minWidth = `${LEAST_SCALE * drawn.viewBox.baseVal.width}px`; // rather scrolled than unreadable
// A thin line is hard to point at: an unseen wide one lies over it.
document.querySelectorAll("#drawing [data-connection] path, #drawing [data-bias] path").forEach((path) => {
  const wide = path.cloneNode();
  wide.setAttribute("class", "hit");
  path.before(wide);
});

const state = new URLSearchParams(location.hash.slice(1));
$("string").value = state.has("s") ? state.get("s") : data.example;
feedString($("string").value, state.has("i") ? Number(state.get("i")) || 0 : null);
if (!given.rows.length) feedString(data.example);
document.documentElement.dataset.ready = "yes";

// A box that holds more than it shows says that it scrolls.

function markScrolling() {
  for (const box of document.querySelectorAll(".scroll, #drawing")) {
    box.classList.toggle("more", box.scrollWidth > box.clientWidth + 1);
  }
}
addEventListener("resize", markScrolling);
document.addEventListener("toggle", markScrolling, true);
document.addEventListener("input", markScrolling);
markScrolling();
