// Parts that several pages use: states, notices, dialogs, fields, tables, bars.

import { Problem } from "./api.js";
import { h, newID, replace, setText } from "./dom.js";
import { OUTCOMES, count, duration, endedDevices, fullTime, nameOf, relative, share } from "./format.js";

const NOTICE_MILLISECONDS = 6_000;
let noticeTimer = 0;

/** Shows a result for a moment; screen readers announce it. */
export function notify(text, kind = "good") {
  const notice = document.getElementById("notice");
  clearTimeout(noticeTimer);
  replace(notice, h("p", { class: kind }, text));
  noticeTimer = setTimeout(() => replace(notice), NOTICE_MILLISECONDS);
}

/** Draws loading, then what `draw` makes of the value, or the error with a retry. */
export async function load(element, read, draw) {
  replace(element, h("div.loading", h("p.hidden", { role: "status" }, "Loading"),
    h("div.bone"), h("div.bone"), h("div.bone.short")));
  try {
    const value = await read();
    replace(element, draw(value));
  } catch (error) {
    if (error.name === "AbortError") return;
    replace(element, error.status === 403 ? forbidden([], error.message) :
      failure(error, () => load(element, read, draw)));
    if (!(error instanceof Problem)) throw error;
  }
}

export const empty = (title, ...rest) => h("div.state", h("h2", title), rest.length ? h("p", rest) : null);

export function failure(error, retry) {
  return h("div.state.bad", { role: "alert" },
    h("h2", error.status === 404 ? "Not found" : "This did not work"),
    h("p", error.message, error.retryAfter ? ` Try again in ${error.retryAfter} s.` : null),
    retry ? button("Try again", retry) : null);
}

export function forbidden(scopes, detail) {
  return h("div.state", h("h2", "Forbidden"),
    scopes.length ? h("p", "Your key needs the scope ",
      scopes.map((scope, index) => [index ? " or " : "", h("code", scope)]), " for this page.") : null,
    detail ? h("p", detail) : null);
}

export function button(label, work, kind = "", attributes = {}) {
  return h("button", { type: "button", class: kind, onclick: work, ...attributes }, label);
}

/** Runs work with the button disabled, and shows a failure as a notice. */
export async function busy(element, work) {
  if (element.disabled) return;
  element.disabled = true;
  try {
    await work();
  } catch (error) {
    if (error.name !== "AbortError") notify(error.message, "bad");
    if (!(error instanceof Problem)) throw error;
  } finally {
    element.disabled = false;
  }
}

/** A modal dialog; `fill` gets a function that closes it. Escape closes it, and focus returns. */
export function dialog(title, fill, kind = "") {
  const heading = newID("dialog");
  const element = h("dialog", { "aria-labelledby": heading, class: kind });
  element.append(h("h2", { id: heading }, title));
  element.addEventListener("close", () => element.remove());
  element.append(fill(() => element.close()));
  document.body.append(element);
  element.showModal();
  return element;
}

export function confirm(title, text, action, kind = "danger") {
  return new Promise((resolve) => {
    let answer = false;
    const element = dialog(title, (close) => h("div", h("p", text), h("div", { class: "actions" },
      button("Keep", close, "", { autofocus: true }),
      button(action, () => { answer = true; close(); }, kind))));
    element.addEventListener("close", () => resolve(answer));
  });
}

/** A labelled control. `path` is the field that the server's errors name. */
export function field(label, control, { hint, path, kind = "" } = {}) {
  const id = control.id || (control.id = newID("field"));
  const error = h("p.error", { id: `${id}-error`, hidden: true });
  const note = hint ? h("p.hint", { id: `${id}-hint` }, hint) : null;
  control.setAttribute("aria-describedby", [note?.id, error.id].filter(Boolean).join(" "));
  const element = h("div", { class: `field ${kind}`, "data-path": path ?? "" }, h("label", { for: id }, label),
    control, note, error);
  return element;
}

export function select(options, value, onchange, attributes = {}) {
  const element = h("select", { onchange, ...attributes },
    options.map(([key, label]) => h("option", { value: key, selected: key === value }, label)));
  element.value = value;
  return element;
}

export const check = (label, input) => h("label.check", input, h("span", label));

export function clearErrors(form) {
  for (const error of form.querySelectorAll(".error:not([hidden])")) error.hidden = true;
  for (const control of form.querySelectorAll("[aria-invalid]")) control.removeAttribute("aria-invalid");
}

/** Shows errors at the fields that they name; the rest is returned. */
export function showErrors(form, fields) {
  clearErrors(form);
  const elements = [...form.querySelectorAll("[data-path]")].filter((one) => one.dataset.path);
  const rest = [];
  for (const { path, text } of fields) {
    const matching = elements.filter(({ dataset }) =>
      path === dataset.path || path.startsWith(`${dataset.path}.`) || path.startsWith(`${dataset.path}[`));
    const best = matching.sort((a, b) => b.dataset.path.length - a.dataset.path.length)[0];
    const error = best?.querySelector(".error");
    if (!error) {
      rest.push({ path, text });
      continue;
    }
    error.textContent = path === best.dataset.path ? text : `${path}: ${text}`;
    error.hidden = false;
    best.querySelector("input, textarea, select")?.setAttribute("aria-invalid", "true");
  }
  return rest;
}

export function table(caption, heads, rows) {
  return h("div.scroll", { tabindex: "0", role: "group", "aria-label": caption }, h("table", {},
    h("caption.hidden", caption),
    h("thead", h("tr", heads.map((head) => h("th", { scope: "col", class: head.startsWith("#") ? "number" : "" },
      head.replace(/^#/, ""))))),
    h("tbody", rows.map((row) => h("tr", row.map((cell, index) =>
      h("td", { class: heads[index]?.startsWith("#") ? "number" : "" }, cell)))))));
}

export const facts = (entries) => h("dl.facts", entries.filter(Boolean).map(([name, value]) =>
  h("div", h("dt", name), h("dd", value ?? "–"))));

export const moment = (value) => value ?
  h("time", { datetime: value, title: value }, `${fullTime(value)} (${relative(value)})`) : "–";

export const card = (title, ...children) => h("section.card", h("h2", title), children);

export const badge = (text, kind = text) => h("span", { class: `badge ${kind}` }, text);

/** A bar of outcomes whose widths and texts follow a status. */
export class OutcomeBar {
  constructor() {
    this.segments = OUTCOMES.map((name) => h("span", { class: name }));
    this.element = h("div.bar", { role: "img" }, this.segments);
    this.label = "";
  }

  update(counts) {
    const targeted = Math.max(1, counts.targeted);
    OUTCOMES.forEach((name, index) => {
      const width = `${(100 * (counts[name] ?? 0) / targeted).toFixed(3)}%`;
      if (this.segments[index].style.width !== width) this.segments[index].style.width = width;
    });
    const label = `${share(endedDevices(counts), counts.targeted)} ended, ${count(counts.delivered)} delivered`;
    if (label !== this.label) this.element.setAttribute("aria-label", this.label = label);
  }
}

/** Numbers that change in place. */
export class Numbers {
  constructor(entries) {
    this.nodes = entries.map(() => document.createTextNode("–"));
    this.element = h("dl.numbers", entries.map(([label, kind], index) => h("div", { class: kind ?? "" },
      h("dt", label), h("dd", this.nodes[index]))));
  }

  update(values) {
    values.forEach((value, index) => setText(this.nodes[index], value));
  }
}

export const labelTexts = (labels) => Object.entries(labels ?? {}).map(([name, value]) =>
  h("span.label", `${name}: `, h("bdi", value)));

export const waitingText = (waiting) => Object.entries(waiting ?? {}).flatMap(([cause, value]) => {
  const devices = typeof value === "number" ? value : value.devices;
  return devices ? [`${nameOf(cause)}: ${count(devices)}`] : [];
}).join(", ");

export const etaText = (open, perSecond) => perSecond > 0 && open > 0 ?
  `about ${duration(1000 * open / perSecond)} left` : "";

export const code = (text) => h("pre.code", { tabindex: "0" }, h("code", text));

export function copyButton(read) {
  return button("Copy", async () => {
    try {
      await navigator.clipboard.writeText(read());
      notify("Copied.");
    } catch {
      notify("The browser does not allow copying here; select the text instead.", "bad");
    }
  });
}
