// The index: rows that fit are shown, in the order that was asked for. Without this script all
// rows are shown, ordered by name.

const $ = (id) => document.getElementById(id);
const body = document.querySelector("#index tbody");
const rows = [...body.rows];
const heads = [...document.querySelectorAll("#index th button")];
const texts = new Map(rows.map((row) => [row, plain(row.textContent)]));
const notations = new Map(rows.map((row) => [row,
  [...row.querySelectorAll("th a, .title, td")].map((part) => squeezed(part.textContent))]));
const numeric = new Set(["name", "kind", "counters", "g", "proof"]);

// Superscripts become plain letters and digits.
function plain(text) {
  return text.normalize("NFKC").toLowerCase().replace(/−/g, "-");
}

// A notation without what people write in different ways: aⁿbⁿ, a^n b^n and a^{n}b^{n} are one.
function squeezed(text) {
  return plain(text).replace(/[\s^{}()]/g, "");
}

function has(row, words) {
  const isNotation = words.includes("^") || plain(words) !== words.toLowerCase();
  if (!isNotation || !squeezed(words)) return texts.get(row).includes(plain(words));
  return notations.get(row).some((text) => text.includes(squeezed(words)));
}

// Rows with the whole phrase; if there are none, those with all of its words.
function searched(query) {
  const phrase = query.trim();
  const whole = rows.filter((row) => has(row, phrase));
  if (whole.length) return new Set(whole);
  const words = phrase.split(/\s+/);
  return new Set(rows.filter((row) => words.every((word) => has(row, word))));
}

function narrow() {
  const found = searched($("search").value);
  const kind = $("kind").value, proved = $("proved").value;
  let count = 0;
  for (const row of rows) {
    row.hidden = !found.has(row) || (kind !== "" && row.dataset.class !== kind) ||
      (proved !== "" && row.dataset.proved !== proved);
    if (!row.hidden) count += 1;
  }
  const all = `${rows.length} language${rows.length === 1 ? "" : "s"}`;
  $("count").textContent = count === rows.length ? all : `${count} of ${all}`;
  $("none").hidden = count > 0;
}

function sortBy(button) {
  const head = button.parentElement, key = button.dataset.sort;
  const down = head.getAttribute("aria-sort") === "ascending";
  for (const other of heads) other.parentElement.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const value = (row) => numeric.has(key) ? Number(row.dataset[key]) : row.dataset[key];
  const less = (a, b) => a < b ? -1 : a > b ? 1 : 0;
  const sign = down ? -1 : 1;
  rows.sort((a, b) => sign * less(value(a), value(b)) ||
    Number(a.dataset.name) - Number(b.dataset.name));
  body.append(...rows);
}

for (const button of heads) button.addEventListener("click", () => sortBy(button));
for (const id of ["search", "kind", "proved"]) $(id).addEventListener("input", narrow);
$("controls").addEventListener("submit", (event) => event.preventDefault());
$("controls").hidden = false;
narrow(); // a browser may have kept what was typed before
document.documentElement.dataset.ready = "";
