// What happens at present.

import { enc } from "./api.js";
import { h, onFrame, replace, setText } from "./dom.js";
import { Rate, count, endedDevices, fullTime, nameOf, relative } from "./format.js";
import { live } from "./live.js";
import { OutcomeBar, badge, busy, button, card, empty, etaText, labelTexts, load, waitingText } from "./parts.js";

/** One task of a list, changed in place. */
export class TaskRow {
  constructor(status, link) {
    this.bar = new OutcomeBar();
    this.rate = new Rate();
    this.state = badge(status.state);
    this.done = document.createTextNode("");
    this.speed = document.createTextNode("");
    this.waiting = document.createTextNode("");
    this.element = h("li.task", h("a", { href: link(`task/${status.id}`) },
      h("span.line", this.state, h("span.name", title(status)),
        h("time", { datetime: status.created, title: fullTime(status.created) }, relative(status.created))),
      this.bar.element,
      h("span.line.fine", h("span", this.done), h("span.wait", this.waiting), h("span.speed", this.speed))));
    this.update(status);
  }

  update(status) {
    const { counts } = status;
    const ended = endedDevices(counts);
    const perSecond = this.rate.note(ended);
    this.bar.update(counts);
    const state = status.cancelled && status.state !== "closed" ? "cancelling" : status.cancelled ? "cancelled" :
      status.state;
    if (this.state.textContent !== state) {
      this.state.textContent = state;
      this.state.className = `badge ${state}`;
    }
    setText(this.done, counts.targeted ?
      `${count(ended)} of ${count(counts.targeted)}, ${count(counts.delivered)} delivered` :
      status.state === "closed" ? "no devices" : "no devices yet");
    const isOpen = status.state === "sending" || status.state === "accepted";
    const waiting = waitingText(status.waiting);
    setText(this.waiting, isOpen && waiting ? `waiting: ${waiting}` : "");
    setText(this.speed, isOpen && perSecond >= 1 ?
      `${count(Math.round(perSecond))}/s ${etaText(counts.open, perSecond)}` : "");
  }
}

const title = (status) => Object.keys(status.labels ?? {}).length ? labelTexts(status.labels) :
  h("code", status.id.slice(0, 8));

/** A list that keeps the rows of tasks that stay. */
class TaskList {
  constructor(none, link) {
    this.rows = new Map();
    this.list = h("ul.tasks");
    this.none = h("p.none", none);
    this.link = link;
  }

  update(tasks) {
    const wanted = new Set(tasks.map((one) => one.id));
    for (const [id, row] of this.rows) {
      if (wanted.has(id)) continue;
      row.element.remove();
      this.rows.delete(id);
    }
    tasks.forEach((status, index) => {
      const row = this.rows.get(status.id);
      if (row) row.update(status);
      else this.rows.set(status.id, new TaskRow(status, this.link));
      const { element } = this.rows.get(status.id);
      if (this.list.children[index] !== element) this.list.insertBefore(element, this.list.children[index] ?? null);
    });
    this.none.hidden = tasks.length > 0;
  }
}

export function show({ app, body, tools, signal, link }) {
  if (app.may(["publish", "broadcast"])) tools.append(h("a.button.primary", { href: link("compose") }, "Compose"));
  load(body, async () => live.app ?? { tasks: (await app.get("/tasks")).tasks }, (first) => {
    const draw = drawing({ app, link });
    draw.update(first);
    live.addEventListener("app", onFrame(({ detail }) => draw.update(detail)));
    return draw.elements;
  });
}

function drawing({ app, link }) {
  const active = new TaskList("Nothing is being sent.", link);
  const recent = new TaskList("No tasks yet.", link);
  const outages = h("div");
  const lag = h("div");
  const next = h("div");
  const older = olderTasks(app, link, () => recent.rows);
  readNext(app, next, link);
  return {
    elements: [outages, h("div", { class: "columns" },
      h("div", card("Under way", active.none, active.list), card("Recent", recent.none, recent.list, older)),
      h("div", card("Waiting in the pipeline", lag), card("Scheduled next", next)))],
    update(state) {
      const isActive = (one) => one.state === "sending" || one.state === "accepted" || one.state === "failed";
      active.update(state.tasks.filter(isActive));
      recent.update(state.tasks.filter((one) => !isActive(one)));
      drawOutages(outages, state.providers);
      drawLag(lag, state.stages);
    },
  };
}

function olderTasks(app, link, known) {
  const list = h("ul.tasks");
  let next = null;
  const more = button("Show older", () => busy(more, async () => {
    const page = await app.get(`/tasks?limit=50${next ? `&before=${enc(next)}` : ""}`);
    next = page.next;
    list.append(...page.tasks.filter((one) => !known().has(one.id)).map((one) => new TaskRow(one, link).element));
    more.hidden = !next;
  }), "quiet");
  return [list, more];
}

async function readNext(app, element, link) {
  await load(element, () => app.get("/tasks?state=scheduled&limit=5"), ({ tasks }) => tasks.length ?
    h("ul.plain", tasks.map((one) => h("li", h("a", { href: link(`task/${one.id}`) }, title(one)), " ",
      h("span.fine", one.send_at ? relative(one.send_at) : one.send_at_local ?? "")))) :
    h("p.none", "Nothing is scheduled."));
}

export function drawOutages(element, providers = []) {
  const text = JSON.stringify(providers.map((one) => one.provider));
  if (element.dataset.shown === text) return;
  element.dataset.shown = text;
  replace(element, providers.length ? h("div.banner", { role: "status" }, h("strong", "Provider outage: "),
    providers.map((one) => nameOf(one.provider)).join(", "), ". Devices wait, and are tried again by themselves.") :
      null);
}

function drawLag(element, stages) {
  if (stages === null || stages === undefined) {
    element.dataset.shown = "";
    return replace(element, h("p.none", stages === null ? "The bus does not answer." : "Not known yet."));
  }
  const names = stages.map((one) => `${one.topic} ${one.group}`).join();
  if (element.dataset.shown !== names) {
    element.dataset.shown = names;
    replace(element, stages.length ? h("dl.lag", stages.map((one) => h("div", {},
      h("dt", one.topic), h("dd", document.createTextNode("0"))))) : empty("No stages"));
  }
  const cells = element.querySelectorAll("dd");
  stages.forEach((one, index) => setText(cells[index].firstChild, count(one.waiting)));
}
