// The fields of a task beside its audience and texts, each at its path in the JSON of the API.

import { h } from "./dom.js";
import { field, select, textInput } from "./parts.js";

const RULES = { "": "app's default", defer: "wait", skip: "skip", ignore: "send all the same" };

/** Path, label, options or a placeholder, and a kind other than text. */
export const MESSAGE_FIELDS = [
	["message.url", "Address to open", "https://"],
	["message.image", "Image", "https://"],
];
export const TIME_FIELDS = [
	["send_at", "At (your time)", "", "time"],
	["send_at_local", "At each device's own time", "", "time"],
];
export const OPTION_FIELDS = [
	["options.time_to_live", "Time to live", "such as 12h"],
	["options.priority", "Priority", { "": "high (default)", normal: "normal" }],
	["options.collapse_id", "Collapse id"],
	["options.ambiguous", "Doubtful pushes", { "": "at least once (default)", at_most_once: "at most once" }],
	["quiet_hours", "In quiet hours", RULES],
	["cap", "Above the cap", RULES],
	["rate", "Devices a second", "", "number"],
	["replaces", "Replaces tasks with key"],
	["deliver_within", "Deliver within", "such as 3h, for users"],
	["message.sound", "Sound"],
	["message.category", "Category"],
	["message.badge", "Badge", "increment, or a number", "number"],
	["labels", "Labels", "campaign=spring, one a line", "pairs"],
	["variables", "Variables", "name=value, one a line", "pairs"],
	["message.data", "Data as JSON", '{"match": 12}', "json"],
	["message.silent", "Silent: wakes the app, shows nothing", { "": "no", true: "yes" }, "json"],
];

/** How a text becomes a value and back; `read` throws for JSON that is not valid. */
const KINDS = {
	number: { read: (text) => /^\d+$/.test(text) ? Number(text) : text },
	time: { read: (text, path) => path === "send_at" ? new Date(text).toISOString() : text },
	json: { read: parse, write: (value) => JSON.stringify(value, null, 2) },
	pairs: {
		read: (text) => Object.fromEntries(text.split("\n").map((line) => {
			const [name, ...value] = line.split("=");
			return [name.trim(), value.join("=").trim()];
		})),
		write: (value) => Object.entries(value).map((one) => one.join("=")).join("\n"),
	},
};

/** One control; `read` gives undefined while it is empty. */
export class TaskField {
	constructor([path, label, hint, kind = "text"], changed) {
		this.path = path;
		this.kind = { read: (text) => text, write: String, ...KINDS[kind] };
		if (typeof hint === "object") this.control = select(Object.entries(hint), "", changed);
		else if (kind === "pairs" || kind === "json") this.control = textArea({ oninput: changed, placeholder: hint });
		else this.control = textInput({ type: kind === "time" ? "datetime-local" : "text", oninput: changed,
			placeholder: hint, maxlength: null });
		this.element = field(label, this.control, path);
	}

	read() {
		const text = this.control.value.trim();
		return text ? this.kind.read(text, this.path) : undefined;
	}

	write(value) {
		this.control.value = this.kind.write(value);
	}
}

export const textArea = (attributes) => h("textarea", { rows: 4, spellcheck: "false", ...attributes });

/** Parses JSON; the error names the field. */
export function parse(text, path) {
	try {
		return JSON.parse(text);
	} catch (error) {
		error.fields = [{ path, text: `not valid JSON: ${error.message}` }];
		throw error;
	}
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
