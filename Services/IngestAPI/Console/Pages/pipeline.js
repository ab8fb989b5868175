// The stages of the pipeline with the course of their lag, outages, the store, and the simulator's moods.

import { callConsole } from "./api.js";
import { h, onFrame, replace, setText } from "./dom.js";
import { Rate, count, endedDevices } from "./format.js";
import { live } from "./live.js";
import { Numbers, busy, button, card, empty, notify } from "./parts.js";
import { drawOutages } from "./now.js";

const WIDTH = 240;
const HEIGHT = 36;
const SHOWN_MILLISECONDS = 180_000;

export function show({ app, body, signal, session }) {
  const view = new PipelineView();
  body.append(view.element);
  if (session.simulator && app.may(["admin"])) body.append(simulatorCard());
  if (live.app) view.update(live.app);
  live.addEventListener("app", onFrame(({ detail }) => view.update(detail)));
}

class PipelineView {
  constructor() {
    this.outages = h("div");
    this.numbers = new Numbers([["Messages waiting"], ["Devices a second"], ["Tasks under way"],
      ["Memory of the store"]]);
    this.stages = h("div", h("p.none", "Waiting for the first message of the pipeline."));
    this.rate = new Rate();
    this.seen = new Map();
    this.ended = 0;
    this.rows = new Map();
    this.element = h("div", this.outages, h("section.card", { "aria-label": "Sums" }, this.numbers.element),
      card("Stages, last 3 minutes", this.stages));
  }

  update(state) {
    drawOutages(this.outages, state.providers);
    for (const task of state.tasks) {
      const ended = endedDevices(task.counts);
      if (this.seen.has(task.id)) this.ended += Math.max(0, ended - this.seen.get(task.id));
      this.seen.set(task.id, ended);
    }
    for (const id of this.seen.keys()) if (!state.tasks.some((one) => one.id === id)) this.seen.delete(id);
    const waiting = state.stages ? count(state.stages.reduce((sum, one) => sum + one.waiting, 0)) : "–";
    this.numbers.update([waiting, count(Math.round(this.rate.note(this.ended))),
      count(state.tasks.filter((one) => one.state === "sending" || one.state === "accepted").length),
      state.store.is_full ? "full" : state.store.memory_percent === null || state.store.memory_percent === undefined ?
        "no limit" : `${state.store.memory_percent} %`]);
    if (!state.stages) {
      this.rows.clear();
      return replace(this.stages, empty("The bus does not answer", "The lag of the stages is not known."));
    }
    this.updateStages(state.stages);
  }

  updateStages(stages) {
    const keys = stages.map((one) => `${one.topic} ${one.group}`);
    if (keys.length !== this.rows.size || keys.some((key) => !this.rows.has(key))) this.drawStages(stages, keys);
    stages.forEach((one, index) => {
      const row = this.rows.get(keys[index]);
      setText(row.waiting, count(one.waiting));
      const { points, most } = course(keys[index]);
      row.line.setAttribute("points", points);
      setText(row.most, count(most));
    });
  }

  drawStages(stages, keys) {
    this.rows = new Map(keys.map((key) =>
      [key, { waiting: document.createTextNode("0"), most: document.createTextNode("0"),
      line: h("polyline.course", { fill: "none" }) }]));
    replace(this.stages, h("div.scroll", { tabindex: "0", role: "group", "aria-label": "Stages" },
      h("table.stages", h("caption.hidden", "Stages"),
      h("thead", h("tr", ["Topic", "Group", "Waiting", "Most", "Course"].map((head, index) =>
        h("th", { scope: "col", class: index === 2 || index === 3 ? "number" : "" }, head)))),
      h("tbody", stages.map((one, index) => {
        const row = this.rows.get(keys[index]);
        return h("tr", h("th", { scope: "row" }, one.topic), h("td", one.group), h("td.number", row.waiting),
          h("td.number", row.most),
          h("td", h("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, "aria-hidden": "true",
            preserveAspectRatio: "none" },
            h("line", { x1: 0, x2: WIDTH, y1: HEIGHT - 1, y2: HEIGHT - 1, class: "base" }), row.line)));
      })))));
  }
}

/** The points of a stage's line: a step for each sample, since the stream only says what changed. */
function course(key) {
  const now = Date.now();
  const samples = live.samples.filter((one) => now - one.now <= SHOWN_MILLISECONDS && one.waiting.has(key));
  const most = Math.max(0, ...samples.map((one) => one.waiting.get(key)));
  const y = (value) => (HEIGHT - 2 - (HEIGHT - 4) * value / Math.max(most, 1)).toFixed(1);
  const x = (time) => (WIDTH * (1 - (now - time) / SHOWN_MILLISECONDS)).toFixed(1);
  const points = samples.flatMap((one, index) => {
    const value = y(one.waiting.get(key));
    const end = samples[index + 1]?.now ?? now;
    return [`${x(one.now)},${value}`, `${x(end)},${value}`];
  });
  return { points: points.join(" "), most };
}

function simulatorCard() {
  const buttons = h("div.line.wrap", { role: "group", "aria-label": "Mood of the simulated providers" });
  const draw = ({ moods, mood }) => replace(buttons, moods.map((one) => {
    const choose = button(one, () => busy(choose, async () => {
      draw(await callConsole("PUT", "/simulator", { body: { mood: one } }));
      notify(`The simulated providers are ${one}.`);
    }), one === mood ? "primary" : "", { "aria-pressed": String(one === mood) });
    return choose;
  }));
  callConsole("GET", "/simulator").then(draw, (error) => replace(buttons, h("p.none", error.message)));
  return card("Simulator", h("p.hint", "How every simulated provider answers from now on."), buttons);
}
