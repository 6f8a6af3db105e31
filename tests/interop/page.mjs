// SPDX-License-Identifier: MIT
// page.mjs FILE.html   runs the script of `headpipe plot --html` with as much of a browser as it asks for, and prints what
// was drawn at first, zoomed in, and after a click on each row of events, as JSON.
import { readFileSync } from "node:fs";
import vm from "node:vm";

const html = readFileSync(process.argv[2], "utf8");
const outside = html.match(/(?:src|href)\s*=|url\(|https?:/g);
const [, data, script] = html.match(/id="data">([\s\S]*?)<\/script>\s*<script>([\s\S]*?)<\/script>/);
const drawn = { points: 0, lines: 0, rects: 0, texts: [], wrong: 0 };
const number = (...v) => v.forEach((x) => (drawn.wrong += !Number.isFinite(x)));
const context = {
  clearRect: () => Object.assign(drawn, { points: 0, lines: 0, rects: 0, texts: [] }),
  beginPath() {}, stroke: () => drawn.lines++, save() {}, restore() {}, rect: number, clip() {}, setLineDash() {},
  moveTo: (x, y) => (number(x, y), drawn.points++), lineTo: (x, y) => (number(x, y), drawn.points++),
  fillRect: (...v) => (number(...v), drawn.rects++), fillText: (t, x, y) => (number(x, y), drawn.texts.push(t)),
};
class Element {
  constructor() { Object.assign(this, { on: {}, rows: [], cells: [], dataset: {}, style: {}, textContent: "" }); }
  addEventListener(what, f) { this.on[what] = f; }
  append(...parts) { this.cells.push(...parts); }
  insertRow() { this.rows.push(new Element()); return this.rows.at(-1); }
  insertCell() { this.cells.push(new Element()); return this.cells.at(-1); }
  getContext() { return context; }
  getBoundingClientRect() { return { left: 0, width: 1000 }; }
  setPointerCapture() {}
  get clientWidth() { return 1000; }
  get clientHeight() { return 500; }
}
const byId = { data: Object.assign(new Element(), { textContent: data }) };
const document = { getElementById: (id) => (byId[id] ??= new Element()), createElement: () => new Element() };
vm.runInNewContext(script, { document, devicePixelRatio: 1, addEventListener() {}, Math, JSON, Number, Infinity });
const state = () => JSON.parse(JSON.stringify(drawn));
const whole = state();
const mouse = (x, more) => ({ clientX: x, preventDefault() {}, pointerId: 1, ...more });
const c = byId.c;
c.on.wheel(mouse(200, { deltaY: -1500 }));
const zoomed = state();
c.on.pointermove(mouse(200));
const read = byId.read.textContent;
c.on.dblclick();
const again = state();
c.on.pointerdown(mouse(500));
c.on.pointermove(mouse(300));
c.on.pointerup();
const moved = state();
const rows = (byId.events?.rows ?? []).map((r) => (r.onclick(), r.cells.map((x) => x.textContent)));
console.log(JSON.stringify({ outside, title: byId.title.textContent, whole, zoomed, read, again, moved, rows, data: JSON.parse(data) }));
