// Builds an audience: everyone, conditions, a saved one, or an expression as JSON.

import { h, newID, replace } from "./dom.js";
import { parse, textArea } from "./fields.js";
import { PLATFORMS, nameOf } from "./format.js";
import { button, check, field, select, textInput } from "./parts.js";

/** Each with its label, and the hints of its texts or the choices of its value. */
const KINDS = {
	topic: { label: "Subscribed to topic", hints: ["topic"] },
	platform: { label: "Platform", choices: PLATFORMS.map((one) => [one, nameOf(one)]) },
	language: { label: "Language", hints: ["language, such as fr"] },
	app_version: { label: "App version", hints: ["from, such as 2.3", "below"], members: ["from", "below"] },
	seen: { label: "Seen within", hints: ["time, such as 30d"], members: ["within"] },
	registered: { label: "Registered within", hints: ["time, such as 30d"], members: ["within"] },
	time_zone: { label: "Time zone", hints: ["Europe/*"] },
	user: { label: "User", choices: [["true", "known"], ["false", "unknown"]] },
	audience: { label: "Saved audience", hints: ["name"] },
};
const CONDITIONS_MAXIMUM = 16;

/** One condition, such as `{"not": {"topic": "sports"}}`. */
class Condition {
	constructor({ kind, texts = [], isNot = false }, changed, removed) {
		this.changed = changed;
		this.isNot = select([["is", "is"], ["not", "is not"]], isNot ? "not" : "is", changed,
			{ "aria-label": "Is or is not" });
		this.kind = select(Object.entries(KINDS).map(([name, { label }]) => [name, label]), kind, () => {
			this.drawValue([]);
			changed();
		}, { "aria-label": "Condition" });
		this.value = h("span.values");
		this.element = h("li.condition", this.kind, this.isNot, this.value,
			button("×", removed, "quiet", { "aria-label": "Remove condition" }));
		this.drawValue(texts);
	}

	drawValue(texts) {
		const { label, choices, hints } = KINDS[this.kind.value];
		this.inputs = choices ? [select(choices, texts[0] ?? choices[0][0], this.changed, { "aria-label": label })] :
			hints.map((hint, index) => textInput({ placeholder: hint, "aria-label": hint, value: texts[index],
				oninput: this.changed }));
		replace(this.value, this.inputs);
	}

	read() {
		const texts = this.inputs.map((one) => one.value.trim());
		const kind = this.kind.value;
		const { members } = KINDS[kind];
		if (!texts.some(Boolean)) return null;
		let [value] = texts;
		if (members) value = Object.fromEntries(members.map((name, index) => [name, texts[index]])
			.filter(([, text]) => text));
		else if (kind === "user") value = value === "true";
		return this.isNot.value === "not" ? { not: { [kind]: value } } : { [kind]: value };
	}
}

/** What a condition's controls show of an audience; null if they cannot. */
function conditionOf(audience) {
	const isNot = audience.not !== undefined;
	const [kind, value] = Object.entries(audience.not ?? audience)[0] ?? [];
	if (!Object.hasOwn(KINDS, kind)) return null;
	const { members } = KINDS[kind];
	if (!members) return { kind, isNot, texts: [String(value)] };
	return Object.keys(value).every((name) => members.includes(name)) ?
		{ kind, isNot, texts: members.map((name) => value[name]) } : null;
}

export class AudienceForm {
	/** `modes` are pairs of more ways to choose and the elements that they show. */
	constructor({ changed, mayAll = true, modes = [] }) {
		this.changed = changed;
		this.conditions = [];
		this.join = select([["all_of", "all of these"], ["any", "any of these"]], "all_of", changed,
			{ "aria-label": "Devices that match" });
		this.list = h("ul");
		this.json = textArea({ rows: 7, class: "mono", oninput: changed,
			placeholder: '{"all_of": [{"topic": "sports"}, {"language": "fr"}]}' });
		this.add = button("Add condition", () => this.addCondition({ kind: "topic" }).kind.focus());
		this.panels = new Map([
			["all", ["Everyone", h("p.hint", "All devices of the app.")]],
			["conditions", ["Conditions", h("div", h("p.join", "Devices that match ", this.join), this.list, this.add)]],
			...modes, ["json", ["Expression", field("Audience as JSON", this.json, { path: "audience" })]],
		]);
		if (!mayAll) this.panels.delete("all");
		this.panel = h("div.panel");
		const name = newID("mode");
		this.radios = [...this.panels].map(([mode, [label]]) =>
			check(label, h("input", { type: "radio", name, value: mode, onchange: () => this.choose(mode) })));
		this.element = h("fieldset", { "data-path": "audience" }, h("legend", "Audience"), h("div.segments", this.radios),
			this.panel, h("p.error", { hidden: true }));
		this.addCondition({ kind: "topic" });
		this.choose(mayAll ? "all" : "conditions");
	}

	choose(mode) {
		if (mode === "json" && !this.json.value) this.json.value = JSON.stringify(this.read() ?? { all: true }, null, 2);
		this.mode = mode;
		for (const { firstChild } of this.radios) firstChild.checked = firstChild.value === mode;
		replace(this.panel, this.panels.get(mode)[1]);
		this.changed();
	}

	addCondition(values) {
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
		return condition;
	}

	/** Undefined while nothing is chosen, or for a way of `modes`; throws for JSON that is not valid. */
	read() {
		if (this.mode === "all") return { all: true };
		if (this.mode === "json") return this.json.value.trim() ? parse(this.json.value, "audience") : undefined;
		if (this.mode !== "conditions") return undefined;
		const parts = this.conditions.map((one) => one.read()).filter(Boolean);
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
		this.conditions = [];
		replace(this.list);
		conditions.forEach((one) => this.addCondition(one));
		this.choose("conditions");
	}
}
