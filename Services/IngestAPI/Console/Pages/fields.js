// The fields of a task beside its audience and texts, each at its path in the JSON of the API.

import { h } from "./dom.js";
import { check, field, select } from "./parts.js";

const RULES = { "": "app's default", defer: "wait", skip: "skip", ignore: "send all the same" };

/** Path, label, and a choice's options, a placeholder, or a kind. */
export const MESSAGE_FIELDS = [
  ["message.url", "Address to open", "https://"], ["message.image", "Image", "https://"],
];
export const OPTION_FIELDS = [
  ["options.time_to_live", "Time to live", "such as 12h"],
  ["options.priority", "Priority", { "": "high (default)", normal: "normal" }],
  ["options.collapse_id", "Collapse id", ""],
  ["options.ambiguous", "Doubtful pushes", { "": "at least once (default)", at_most_once: "at most once" }],
  ["quiet_hours", "In quiet hours", RULES], ["cap", "Above the cap", RULES],
  ["rate", "Devices a second", "", "number"], ["replaces", "Replaces tasks with key", ""],
  ["deliver_within", "Deliver within", "such as 3h, for users"],
  ["message.sound", "Sound", ""], ["message.category", "Category", ""],
  ["message.badge", "Badge", "increment, or a number", "number"],
  ["labels", "Labels", "campaign=spring, one a line", "pairs"], ["variables", "Variables", "name=value, one a line",
    "pairs"],
  ["message.data", "Data as JSON", '{"match": 12}', "json"], ["message.silent", "Silent: wakes the app, shows nothing",
    "", "flag"],
];

const isBlock = (kind) => kind === "pairs" || kind === "json";

/** One control; `read` gives undefined while it is empty, and throws for JSON that is not valid. */
export class TaskField {
  constructor([path, label, hint, kind = "text"], changed) {
    this.path = path;
    this.kind = kind;
    const attributes = { oninput: changed, autocomplete: "off", spellcheck: "false", placeholder: hint };
    if (kind === "flag") this.control = h("input", { type: "checkbox", onchange: changed });
    else if (typeof hint === "object") this.control = select(Object.entries(hint), "", changed);
    else this.control = h(isBlock(kind) ? "textarea" : "input", attributes);
    this.element = kind === "flag" ? check(label, this.control) : field(label, this.control, { path });
  }

  read() {
    const text = this.control.value.trim();
    if (this.kind === "flag") return this.control.checked || undefined;
    if (!text) return undefined;
    if (this.kind === "json") return parse(text, this.path);
    if (this.kind === "number") return /^\d+$/.test(text) ? Number(text) : text;
    return this.kind === "pairs" ? Object.fromEntries(text.split("\n").map(pair)) : text;
  }

  write(value) {
    if (this.kind === "flag") this.control.checked = value === true;
    else if (this.kind === "json") this.control.value = JSON.stringify(value, null, 2);
    else if (this.kind === "pairs") this.control.value = Object.entries(value).map((one) => one.join("=")).join("\n");
    else this.control.value = value;
  }
}

/** Parses JSON; the error names the field. */
export function parse(text, path) {
  try {
    return JSON.parse(text);
  } catch (error) {
    error.fields = [{ path, text: `not valid JSON: ${error.message}` }];
    throw error;
  }
}

function pair(line) {
  const [name, ...value] = line.split("=");
  return [name.trim(), value.join("=").trim()];
}

export function put(object, path, value) {
  const names = path.split(".");
  const last = names.pop();
  names.reduce((owner, name) => owner[name] ??= {}, object)[last] = value;
}

/** Removes the value at a path, and gives it. */
export function take(object, path) {
  const names = path.split(".");
  const last = names.pop();
  const owner = names.reduce((found, name) => found?.[name], object);
  const value = owner?.[last];
  if (owner) delete owner[last];
  return value ?? undefined;
}
