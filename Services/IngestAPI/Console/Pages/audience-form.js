// Builds an audience: everyone, conditions, or an expression as JSON.

import { h, newID, replace } from "./dom.js";
import { parse, put, textArea } from "./fields.js";
import { PLATFORMS } from "./format.js";
import { button, check, field, select, textInput } from "./parts.js";

/** Each condition by its path in the audience, with its label and a hint. */
const CONDITIONS = {
	topic: ["Topic", "sports"],
	platform: ["Platform", PLATFORMS.join(", ")],
	language: ["Language", "fr"],
	"app_version.from": ["App version from", "2.3"],
	"app_version.below": ["App version below", "3.0"],
	"seen.within": ["Seen within", "30d"],
	"registered.within": ["Registered within", "30d"],
	time_zone: ["Time zone", "Europe/*"],
	audience: ["Saved audience", "name"],
};

/** One condition, such as `{"not": {"topic": "sports"}}`. */
class Condition {
	constructor({ path, text = "", isNot = false }, changed, removed) {
		this.path = select(Object.entries(CONDITIONS).map(([name, [label]]) => [name, label]), path, () => {
			this.showHint();
			changed();
		}, { "aria-label": "Condition" });
		this.isNot = select([["", "is"], ["not.", "is not"]], isNot ? "not." : "", changed,
			{ "aria-label": "Is or is not" });
		this.text = textInput({ value: text, oninput: changed, "aria-label": "Value" });
		this.element = h("li.row", this.path, this.isNot, this.text,
			button("×", removed, "quiet", { "aria-label": "Remove condition" }));
		this.showHint();
	}

	showHint() {
		this.text.placeholder = CONDITIONS[this.path.value][1];
	}

	read() {
		const text = this.text.value.trim();
		const audience = {};
		if (text) put(audience, this.isNot.value + this.path.value, text);
		return text && audience;
	}
}

/** What a condition's controls show of an audience; null if they cannot. */
function conditionOf(audience) {
	const isNot = audience.not !== undefined;
	let [[path, text]] = Object.entries(audience.not ?? audience);
	const members = Object.entries(text);
	if (typeof text === "object" && members.length === 1) [path, text] = [`${path}.${members[0][0]}`, members[0][1]];
	return Object.hasOwn(CONDITIONS, path) && typeof text === "string" ? { path, text, isNot } : null;
}

export class AudienceForm {
	/** `modes` are pairs of more ways to choose and the elements that they show. */
	constructor({ changed, mayAll = true, modes = [] }) {
		this.changed = changed;
		this.join = select([["all_of", "all of these"], ["any", "any of these"]], "all_of", changed);
		this.list = h("ul");
		this.json = textArea({ rows: 7, class: "mono", oninput: changed });
		this.panels = new Map([
			["all", ["Everyone", h("p.fine", "All devices of the app.")]],
			["conditions", ["Conditions", h("div", field("Devices that match", this.join), this.list,
				button("Add condition", () => this.add({ path: "topic" }).path.focus()))]],
			...modes, ["json", ["Expression", field("Audience as JSON", this.json, "audience")]],
		]);
		if (!mayAll) this.panels.delete("all");
		this.panel = h("div.panel");
		const name = newID("mode");
		this.radios = [...this.panels].map(([mode, [label]]) =>
			check(label, h("input", { type: "radio", name, value: mode, onchange: () => this.choose(mode) })));
		this.element = h("fieldset", { "data-path": "audience" }, h("legend", "Audience"), h("div.segments", this.radios),
			this.panel, h("p.error", { hidden: true }));
		this.setConditions([{ path: "topic" }]);
		this.choose(mayAll ? "all" : "conditions");
	}

	choose(mode) {
		if (mode === "json" && !this.json.value) this.json.value = JSON.stringify(this.read() ?? { all: true }, null, 2);
		this.mode = mode;
		for (const { firstChild } of this.radios) firstChild.checked = firstChild.value === mode;
		replace(this.panel, this.panels.get(mode)[1]);
		this.changed();
	}

	setConditions(values) {
		this.conditions = new Set();
		replace(this.list);
		values.forEach((one) => this.add(one));
	}

	add(values) {
		const condition = new Condition(values, this.changed, () => {
			this.conditions.delete(condition);
			condition.element.remove();
			this.join.focus();
			this.changed();
		});
		this.conditions.add(condition);
		this.list.append(condition.element);
		return condition;
	}

	/** Undefined while nothing is chosen, or for a way of `modes`; throws for JSON that is not valid. */
	read() {
		if (this.mode === "all") return { all: true };
		if (this.mode === "json") return this.json.value.trim() ? parse(this.json.value, "audience") : undefined;
		if (this.mode !== "conditions") return undefined;
		const parts = [...this.conditions].map((one) => one.read()).filter(Boolean);
		return parts.length < 2 ? parts[0] : { [this.join.value]: parts };
	}

	write(audience) {
		if (audience.all && this.panels.has("all")) return this.choose("all");
		const join = audience.any ? "any" : "all_of";
		const conditions = (audience[join] ?? [audience]).map(conditionOf);
		if (conditions.includes(null)) {
			this.json.value = JSON.stringify(audience, null, 2);
			return this.choose("json");
		}
		this.join.value = join;
		this.setConditions(conditions);
		this.choose("conditions");
	}
}
