// One task: its status live, content, outcomes by platform, and what became of a device.

import { enc } from "./api.js";
import { h, onFrame, replace, setText } from "./dom.js";
import { OUTCOMES, PLATFORMS, Rate, count, duration, endedDevices, nameOf, plural, share } from "./format.js";
import { live } from "./live.js";
import {
  Numbers, OutcomeBar, badge, busy, button, card, code, confirm, empty, etaText, facts, failure, field, labelTexts,
    load,
  moment, notify, table, waitingText,
} from "./parts.js";

export function show({ app, argument: id, query, tools, body, signal, link, title }) {
  if (!id) return body.append(empty("No task", "The address names no task."));
  title.append(" ", h("code.id", id.slice(0, 8)));
  const path = `/tasks/${enc(id)}`;
  load(body, () => app.get(path), (status) => {
    const view = new TaskView({ app, id, path, link, tools });
    view.update(status);
    live.addEventListener("task", onFrame(({ detail }) => {
      if (detail.id === id) view.update(detail);
    }));
    if (query.get("device")) view.showDevice(query.get("device"));
    return view.elements;
  });
}

/** The parts of the page; statuses change their texts and widths only. */
class TaskView {
  constructor(context) {
    Object.assign(this, context);
    this.rate = new Rate();
    this.bar = new OutcomeBar();
    this.state = badge("accepted");
    this.progress = document.createTextNode("");
    this.numbers = new Numbers([["Targeted"], ["Ended"], ["Devices a second"], ["Time left"]]);
    this.outcomes = new Numbers(OUTCOMES.map((name) => [nameOf(name), `outcome ${name}`]));
    this.receipts = new Numbers([["Delivered"], ["Opened"], ["Dismissed"], ["Actions"]]);
    this.timeline = h("div");
    this.waiting = h("p.fine.wait-line", this.waitingText = document.createTextNode(""));
    this.problem = h("div");
    this.report = card("Outcomes by platform", h("p.none", "The report is made when the task is closed."));
    this.elements = [this.problem, this.statusCard(), h("div.columns.even", h("div", this.report, this.deviceCard()),
      h("div", card("Timeline", this.timeline), this.contentCard()))];
    this.addTools();
  }

  statusCard() {
    return h("section.card", { "aria-label": "Status" }, h("div.line", this.state, h("span", this.progress)),
      this.bar.element, this.numbers.element, this.waiting, h("h2", "Outcomes"), this.outcomes.element,
      h("details", h("summary", "Receipts from the devices"), this.receipts.element));
  }

  addTools() {
    if (this.app.may(["publish", "broadcast"])) {
      this.tools.append(h("a.button", { href: this.link("compose", { from: this.id }) }, "Send again"));
    }
    this.cancel = button("Cancel task", () => this.confirmCancel(), "danger");
    this.cancel.hidden = true;
    if (this.app.may(["publish", "broadcast", "admin"])) this.tools.append(this.cancel);
  }

  async confirmCancel() {
    if (!await confirm("Cancel this task?",
      "Devices that no sender is sending to end as cancelled. Pushes that are in flight arrive.",
      "Cancel task")) return;
    await busy(this.cancel, async () => {
      await this.app.post(`${this.path}/cancel`);
      notify("The task is being cancelled.");
      this.update(await this.app.get(this.path));
    });
  }

  update(status) {
    const { counts } = status;
    const ended = endedDevices(counts);
    const isOver = status.state === "closed";
    const perSecond = this.rate.note(ended);
    const state = status.cancelled ? (isOver ? "cancelled" : "cancelling") : status.state;
    if (this.state.textContent !== state) {
      this.state.textContent = state;
      this.state.className = `badge ${state}`;
    }
    setText(this.progress, progress(status, ended));
    this.bar.update(counts);
    this.numbers.update([count(counts.targeted), `${count(ended)} (${share(ended, counts.targeted)})`,
      isOver ? count(average(status, ended)) : count(Math.round(perSecond)), isOver ? "–" :
        etaText(counts.open, perSecond).replace(/^about | left$/g, "") || "–"]);
    this.outcomes.update(OUTCOMES.map((name) => count(counts[name])));
    this.receipts.update([status.receipts.delivered, status.receipts.opened, status.receipts.dismissed,
      status.receipts.actions].map(count));
    const waiting = isOver ? "" : waitingText(status.waiting);
    setText(this.waitingText, waiting ? `Devices that wait: ${waiting}` : "");
    this.cancel.hidden = isOver || status.cancelled;
    this.drawTimeline(status);
    if (isOver && !this.isReported) {
      this.isReported = true;
      this.readReport();
    }
  }

  drawTimeline(status) {
    const shown = JSON.stringify([status.state, status.closed, status.problem, status.replaced_by, status.cancelled]);
    if (shown === this.shownTimeline) return;
    this.shownTimeline = shown;
    replace(this.timeline, facts([
      ["Created", moment(status.created)],
      status.send_at && ["Planned for", moment(status.send_at)],
      status.send_at_local && ["At each device's time", status.send_at_local],
      status.window && ["Window", h("span", moment(status.window.opens), " to ", moment(status.window.ends),
        `, ${status.window.method}`)],
      ["Deadline", moment(status.deadline)],
      ["Closed", moment(status.closed)],
      status.closed && ["Took", duration(new Date(status.closed) - new Date(status.send_at ?? status.created))],
      status.lane && ["Lane", status.lane],
      Object.keys(status.labels).length && ["Labels", h("span", labelTexts(status.labels))],
      status.replaces && ["Replaces key", h("bdi", status.replaces)],
      status.replaced_by && ["Replaced by", h("a", { href: this.link(`task/${status.replaced_by}`) },
        status.replaced_by)],
      status.unmatched > 0 && ["Without a device", plural(status.unmatched, "entry").replace("entrys", "entries")],
      ["Id", h("code.whole", status.id)],
    ]));
    replace(this.problem, status.problem ? h("div.banner.bad", { role: "alert" }, h("strong", "Problem: "),
      status.problem) : null);
  }

  async readReport() {
    const element = h("div");
    this.report.lastChild.replaceWith(element);
    await load(element, () => this.app.get(`${this.path}/report`), (report) => {
      const platforms = [...PLATFORMS, "unknown"].filter((name) => report.by_platform?.[name]?.targeted);
      if (!platforms.length) return h("p.none", "No devices.");
      const used = OUTCOMES.filter((name) => report.counts[name]);
      return table("Outcomes by platform", ["Platform", "#targeted", ...used.map((name) => `#${nameOf(name)}`)],
        platforms.map((name) => [nameOf(name), ...["targeted", ...used].map((outcome) =>
          count(report.by_platform[name][outcome]))]));
    });
  }

  contentCard() {
    const element = h("div");
    load(element, () => this.app.get(`${this.path}/content`).catch((error) => {
      if (error.status === 404) return null;
      throw error;
    }), (content) => content ? drawContent(content) : h("p.none", "The content is no longer stored."));
    return card("Content", element);
  }

  deviceCard() {
    const input = this.deviceInput = h("input", { name: "device", autocomplete: "off", spellcheck: "false",
      maxlength: "64", required: true });
    const result = this.deviceResult = h("div", { "aria-live": "polite" });
    const submit = h("button", "Why?");
    return card("One device", h("form.row", { onsubmit: (event) => {
      event.preventDefault();
      busy(submit, () => this.readDevice(input.value.trim()));
    } }, field("Device id", input), submit), result);
  }

  showDevice(id) {
    this.deviceInput.value = id;
    this.readDevice(id);
  }

  async readDevice(id) {
    try {
      const trace = await this.app.get(`${this.path}/devices/${enc(id)}`);
      replace(this.deviceResult, drawTrace(trace, this.link));
    } catch (error) {
      if (error.name !== "AbortError") replace(this.deviceResult, failure(error));
    }
  }
}

export function drawTrace(trace, link) {
  return h("div.trace", h("p", badge(nameOf(trace.state), trace.state), " ", h("strong", trace.why)), facts([
    ["Device", h("a", { href: link(`devices/${trace.device}`) }, h("code", trace.device))],
    trace.reason && ["Reason", h("bdi", trace.reason)],
    trace.status && ["Status of the provider", String(trace.status)],
    trace.attempt !== null && ["Attempt", String(trace.attempt + 1)],
    trace.time && ["Time", moment(trace.time)],
    trace.next_attempt && ["Next attempt", moment(trace.next_attempt)],
  ]));
}

function progress(status, ended) {
  switch (status.state) {
  case "scheduled": return "waits for its time";
  case "accepted": return "looking up devices";
  case "closed": return `closed, ${plural(ended, "device")} ended`;
  case "failed": return "stopped; the operator can resume it";
  default: return status.jobs.resolved < status.jobs.total ?
    `looking up devices, ${status.jobs.resolved} of ${status.jobs.total} steps` : "sending";
  }
}

function average(status, ended) {
  const seconds = (new Date(status.closed) - new Date(status.send_at ?? status.created)) / 1000;
  return seconds > 0 ? Math.round(ended / seconds) : 0;
}

function textsByLanguage(message) {
  const languages = new Set();
  for (const name of ["title", "subtitle", "body"]) {
    if (message[name] && typeof message[name] === "object") Object.keys(message[name]).forEach((one) =>
      languages.add(one));
    else if (message[name]) languages.add("default");
  }
  return [...languages].map((language) => [language, ["title", "subtitle", "body"].map((name) => {
    const text = message[name];
    return typeof text === "string" ? (language === "default" ? text : null) : text?.[language];
  })]);
}

function drawContent(content) {
  const messages = [["All platforms", content.message], ...Object.entries(content.messages ?? {})].filter(([, one]) =>
    one);
  return [messages.map(([platform, message]) => h("div", messages.length > 1 ? h("h3", nameOf(platform)) : null,
    textsByLanguage(message).map(([language, [title, subtitle, text]]) => h("div", { class: "text" },
      h("span.label", language), title ? h("p", { dir: "auto" }, h("strong", title)) : null,
      subtitle ? h("p", { dir: "auto" }, subtitle) : null, text ? h("p", { dir: "auto" }, text) : null)))),
  h("details", h("summary", "As JSON"), code(JSON.stringify(content, null, 2)))];
}
