// Builds an audience: everyone, conditions, a saved one, or an expression as JSON.

import { h, newID, replace } from "./dom.js";
import { parse } from "./fields.js";
import { PLATFORMS, nameOf } from "./format.js";
import { button, check, field, select } from "./parts.js";

const KINDS = [
  ["topic", "Subscribed to topic"], ["platform", "Platform"], ["language", "Language"], ["app_version", "App version"],
  ["seen", "Seen within"], ["registered", "Registered within"], ["time_zone", "Time zone"], ["user", "User"],
  ["audience", "Saved audience"],
];
const CONDITIONS_MAXIMUM = 16;

/** One condition, such as `{"not": {"topic": "sports"}}`. */
class Condition {
  constructor({ kind, first = "", second = "", isNot = false }, changed, removed) {
    this.changed = changed;
    this.isNot = select([["is", "is"], ["not", "is not"]], isNot ? "not" : "is", changed,
      { "aria-label": "Is or is not" });
    this.kind = select(KINDS, kind, () => {
      this.drawValue("", "");
      changed();
    }, { "aria-label": "Condition" });
    this.value = h("span.values");
    this.element = h("li.condition", this.kind, this.isNot, this.value,
      button("×", removed, "quiet", { "aria-label": "Remove condition" }));
    this.drawValue(first, second);
  }

  drawValue(first, second) {
    const input = (placeholder, value) =>
      h("input", { placeholder, value, oninput: this.changed, "aria-label": placeholder, maxlength: "256" });
    switch (this.kind.value) {
    case "platform": this.inputs = [select(PLATFORMS.map((one) => [one, nameOf(one)]), first || "ios", this.changed,
      { "aria-label": "Platform" })]; break;
    case "user": this.inputs = [select([["true", "known"], ["false", "unknown"]], first || "true", this.changed,
      { "aria-label": "User" })]; break;
    case "app_version": this.inputs = [input("from, such as 2.3", first), input("below", second)]; break;
    case "seen": case "registered": this.inputs = [input("time, such as 30d", first)]; break;
    default: this.inputs = [input({ topic: "topic", language: "language, such as fr",
      time_zone: "Europe/*" }[this.kind.value] ?? "name", first)];
    }
    replace(this.value, this.inputs);
  }

  read() {
    const [first, second] = this.inputs.map((one) => one.value.trim());
    const kind = this.kind.value;
    if (!first && !second) return null;
    let value = first;
    if (kind === "user") value = first === "true";
    if (kind === "app_version") value = { ...(first ? { from: first } : {}), ...(second ? { below: second } : {}) };
    if (kind === "seen" || kind === "registered") value = { within: first };
    return this.isNot.value === "not" ? { not: { [kind]: value } } : { [kind]: value };
  }
}

/** What a condition's controls show of an audience; null if they cannot. */
function conditionOf(audience) {
  const isNot = audience.not !== undefined;
  const [kind, value] = Object.entries(isNot ? audience.not : audience)[0] ?? [];
  if (!KINDS.some(([name]) => name === kind)) return null;
  if (kind === "app_version") return { kind, isNot, first: value.from, second: value.below };
  if (kind === "seen" || kind === "registered") {
    return value.within && Object.keys(value).length === 1 ? { kind, isNot, first: value.within } : null;
  }
  return { kind, isNot, first: String(value) };
}

export class AudienceForm {
  /** `modes` are pairs of more ways to choose and the elements that they show. */
  constructor({ changed, mayAll = true, modes = [], path = "audience" }) {
    this.changed = changed;
    this.path = path;
    this.conditions = [];
    this.join = select([["all_of", "all of these"], ["any", "any of these"]], "all_of", changed,
      { "aria-label": "Devices that match" });
    this.list = h("ul.conditions");
    this.json = h("textarea", { rows: "7", spellcheck: "false", class: "mono", oninput: changed,
      placeholder: '{"all_of": [{"topic": "sports"}, {"language": "fr"}]}' });
    this.add = button("Add condition", () => this.addCondition({ kind: "topic" }, true));
    this.panels = new Map([
      ["all", ["Everyone", h("p.hint", "All devices of the app.")]],
      ["conditions", ["Conditions", h("div", h("p.join", "Devices that match ", this.join), this.list, this.add)]],
      ...modes, ["json", ["Expression", field("Audience as JSON", this.json, { path })]],
    ]);
    if (!mayAll) this.panels.delete("all");
    this.panel = h("div.panel");
    const name = newID("mode");
    this.radios = [...this.panels].map(([mode, [label]]) =>
      check(label, h("input", { type: "radio", name, value: mode, onchange: () => this.choose(mode) })));
    this.element = h("fieldset.audience", { "data-path": path }, h("legend", "Audience"),
      h("div.segments", this.radios),
      this.panel, h("p.error", { hidden: true }));
    this.addCondition({ kind: "topic" });
    this.choose(mayAll ? "all" : "conditions");
  }

  choose(mode) {
    if (mode === "json" && this.mode && !this.json.value) this.json.value = JSON.stringify(this.safeRead() ??
      { all: true }, null, 2);
    this.mode = mode;
    for (const { firstChild } of this.radios) firstChild.checked = firstChild.value === mode;
    replace(this.panel, this.panels.get(mode)[1]);
    this.changed();
  }

  safeRead() {
    try {
      return this.read();
    } catch {
      return null;
    }
  }

  addCondition(values, isFocused = false) {
    const condition = new Condition(values, this.changed, () => {
      this.conditions = this.conditions.filter((one) => one !== condition);
      condition.element.remove();
      this.add.disabled = false;
      this.add.focus();
      this.changed();
    });
    this.conditions.push(condition);
    this.list.append(condition.element);
    this.add.disabled = this.conditions.length >= CONDITIONS_MAXIMUM;
    if (isFocused) condition.kind.focus();
  }

  /** Undefined while nothing is chosen, or for a way of `modes`; throws for JSON that is not valid. */
  read() {
    if (this.mode === "all") return { all: true };
    if (this.mode === "json") return this.json.value.trim() ? parse(this.json.value, this.path) : undefined;
    if (this.mode !== "conditions") return undefined;
    const parts = this.conditions.map((one) => one.read()).filter(Boolean);
    if (parts.length < 2) return parts[0];
    return { [this.join.value]: parts };
  }

  write(audience) {
    if (audience.all && this.panels.has("all")) return this.choose("all");
    const join = audience.any ? "any" : "all_of";
    const parts = audience[join] ?? [audience];
    const conditions = parts.map(conditionOf);
    if (conditions.includes(null)) {
      this.json.value = JSON.stringify(audience, null, 2);
      return this.choose("json");
    }
    this.join.value = join;
    this.conditions = [];
    replace(this.list);
    conditions.forEach((one) => this.addCondition(one));
    this.choose("conditions");
  }
}
