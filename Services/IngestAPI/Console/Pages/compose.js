// Writes a task: audience, texts, options; counts, previews, a test, and the send.

import { enc } from "./api.js";
import { AudienceForm } from "./audience-form.js";
import { debounce, h, replace } from "./dom.js";
import { MESSAGE_FIELDS, OPTION_FIELDS, TIME_FIELDS, TaskField, put, take, textArea } from "./fields.js";
import { PLATFORMS, nameOf, plural } from "./format.js";
import {
	button, card, check, code, confirm, failure, field, form, notify, select, showErrors, taskLink,
	textInput,
} from "./parts.js";
import { Previews } from "./previews.js";

const TEXTS = { title: "Title", subtitle: "Subtitle", body: "Text" };
const LISTS = ["users", "devices"];
const TIMES = ["send_at", "send_at_local"];
const WAIT_MILLISECONDS = 400;

export async function show({ app, body, query, signal }) {
	const composer = new Composer(app);
	body.append(composer.element);
	if (!query.has("from")) return;
	try {
		const content = await app.get(`/tasks/${enc(query.get("from"))}/content`);
		if (!signal.aborted) composer.write(content);
	} catch (error) {
		if (error.name !== "AbortError") body.prepend(failure(error));
	}
}

/** A key that lets the server send a repeated request once. */
const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((one) =>
	one.toString(16).padStart(2, "0")).join("");

const isLater = (task) => TIMES.some((name) => task[name]);
const hasTarget = (task) => task.audience || LISTS.some((name) => task[name]?.length);

class Composer {
	constructor(app) {
		this.app = app;
		this.key = newKey();
		this.extra = {};
		this.languages = new Map();
		this.previews = new Previews(app.name);
		const refresh = debounce(WAIT_MILLISECONDS, () => this.ask());
		const changed = this.changed = () => {
			this.key = newKey();
			refresh();
		};
		this.lists = Object.fromEntries(LISTS.map((path) => [path, textArea({ oninput: changed,
			placeholder: "separated by spaces, commas or lines" })]));
		this.audience = new AudienceForm({ changed, mayAll: app.may("broadcast"), modes: LISTS.map((path) => [path,
			[path === "users" ? "Users" : "Devices", field(`Ids of ${path}`, this.lists[path], path)]]) });
		this.platforms = PLATFORMS.map((name) => h("input", { type: "checkbox", name, onchange: changed }));
		this.fields = [MESSAGE_FIELDS, TIME_FIELDS, OPTION_FIELDS].map((group) =>
			group.map((one) => new TaskField(one, changed)));
		this.draw();
	}

	draw() {
		this.columns = h("div.grid");
		this.addLanguage("default");
		this.size = h("output.size", "–");
		this.detail = h("p.fine");
		this.summary = h("div", { role: "alert" });
		this.curl = code("");
		const send = h("button.primary", "Send");
		const [message, times, options] = this.fields.map((group) => h("div.grid", group.map((one) => one.element)));
		this.element = form("form.columns.compose", send, () => this.submit(),
			h("div", card("To", this.audience.element, h("fieldset.checks", { "data-path": "platforms" },
				h("legend", "Platforms (none: all)"), this.platforms.map((box) => check(nameOf(box.name), box)),
				h("p.error", { hidden: true }))),
			card("Message", this.columns, this.languageAdder(), message),
			card("When (empty: at once)", times),
			folded("Options", options)),
			h("div.aside", h("section.card", { "aria-label": "Send" }, h("div.line", this.size, send), this.detail,
				this.summary),
			card("Test first", this.testRow()), card("Preview", this.previews.element),
			folded("The same with curl", this.curl)));
	}

	/** Enter in its text field must not send the task, so the field is of no form. */
	languageAdder() {
		const add = () => {
			const language = input.value.trim();
			if (!/^[\w-]{2,35}$/.test(language) || this.languages.has(language)) return input.select();
			input.value = "";
			this.addLanguage(language).title.focus();
			this.changed();
		};
		const input = textInput({ maxlength: 35, placeholder: "fr", "aria-label": "Language", form: "" });
		return h("div.row", input, button("Add language", add));
	}

	addLanguage(language) {
		const isDefault = language === "default";
		const texts = Object.fromEntries(Object.keys(TEXTS).map((name) =>
			[name, h(name === "body" ? "textarea" : "input", { rows: 4, autocomplete: "off", dir: "auto",
				oninput: this.changed })]));
		const column = h("div.language", { role: "group", "aria-label": `Language ${language}` },
			h("span.label", language), Object.entries(TEXTS).map(([name, label]) =>
				field(label, texts[name], `message.${name}${isDefault ? "" : `.${language}`}`)),
			!isDefault && button(`Remove ${language}`, () => {
				this.languages.delete(language);
				column.remove();
				this.changed();
			}, "quiet"));
		this.languages.set(language, texts);
		this.columns.append(column);
		return texts;
	}

	/** The task as the form has it. */
	read() {
		const task = structuredClone(this.extra);
		const list = this.lists[this.audience.mode];
		if (list) task[this.audience.mode] = list.value.split(/[\s,]+/).filter(Boolean);
		else task.audience = this.audience.read();
		const platforms = this.platforms.filter((box) => box.checked);
		if (platforms.length) task.platforms = platforms.map((box) => box.name);
		for (const name of Object.keys(TEXTS)) {
			const texts = [...this.languages].map(([language, controls]) =>
				[language, controls[name].value]).filter(([, text]) => text);
			if (texts.length) put(task, `message.${name}`, texts.length === 1 && texts[0][0] === "default" ? texts[0][1] :
				Object.fromEntries(texts));
		}
		for (const one of this.fields.flat()) {
			const value = one.read();
			if (value !== undefined) put(task, one.path, value);
		}
		return task;
	}

	/** Fills the form; what it has no control for is sent as it is. */
	write(task) {
		for (const name of TIMES) delete task[name];
		for (const name of Object.keys(TEXTS)) {
			const text = take(task, `message.${name}`);
			for (const [language, value] of Object.entries(typeof text === "string" ? { default: text } : text ?? {})) {
				(this.languages.get(language) ?? this.addLanguage(language))[name].value = value;
			}
		}
		for (const one of this.fields.flat()) {
			const value = take(task, one.path);
			if (value !== undefined) one.write(value);
		}
		const platforms = take(task, "platforms") ?? [];
		for (const box of this.platforms) box.checked = platforms.includes(box.name);
		this.writeTarget(task);
		for (const name of ["message", "options"]) if (task[name] && !Object.keys(task[name]).length) delete task[name];
		this.extra = task;
		const names = Object.keys(task);
		if (names.length) this.columns.before(h("p.fine", `Also sent, as in the copied task: ${names.join(", ")}.`));
		this.changed();
	}

	/** A task with several targets keeps the others in `extra`. */
	writeTarget(task) {
		const list = LISTS.find((name) => task[name]?.length);
		if (task.audience) return this.audience.write(take(task, "audience"));
		if (!list) return;
		this.lists[list].value = take(task, list).join("\n");
		this.audience.choose(list);
	}

	/** Null for what is not valid, which is shown at its field. */
	tryRead() {
		try {
			return this.read();
		} catch (error) {
			showErrors(this.element, error.fields);
			return null;
		}
	}

	async ask() {
		const task = this.element.isConnected && this.tryRead();
		if (!task) return;
		showErrors(this.element);
		this.drawCurl(task);
		const asked = this.asked = Symbol("asked");
		const isNewest = () => asked === this.asked;
		await Promise.all([this.count(task, isNewest), this.preview(task, isNewest)]);
	}

	async count(task, isNewest) {
		if (!hasTarget(task)) return this.showSize("–", "Choose an audience.");
		const { audience, users, devices, platforms } = task;
		try {
			const answer = await this.app.post("/tasks?dry_run=true", { audience, users, devices, platforms,
				message: { title: "x" } });
			if (isNewest()) this.showSize(plural(answer.devices, "device"), isLater(task) ?
				"Looked up again at the time." : "would get it now.");
		} catch (error) {
			if (!isNewest()) return;
			this.showSize("–", error.message);
			showErrors(this.element, error.fields);
		}
	}

	showSize(text, detail) {
		replace(this.size, text);
		replace(this.detail, detail);
	}

	async preview({ send_at, send_at_local, ...task }, isNewest) {
		let answer = { previews: [], problems: [] };
		if (!hasTarget(task)) task.audience = { all: true };
		try {
			if (task.message || task.messages || task.payloads) answer = await this.app.post("/previews", task);
		} catch (error) {
			answer.problems = [error];
		}
		if (isNewest()) this.previews.update(answer);
	}

	drawCurl(task) {
		const quoted = JSON.stringify(task, null, 2).replaceAll("'", "'\\''");
		this.curl.firstChild.textContent = `curl --fail-with-body -H "Authorization: Bearer $CARILLON_KEY" \\
  -H 'Content-Type: application/json' -H 'Idempotency-Key: ${this.key}' \\
  '${location.origin}${this.app.path}/tasks' -d '${quoted}'`;
	}

	testRow() {
		const kind = select([["users", "User"], ["devices", "Device"]], "users", null, { "aria-label": "Test with" });
		const input = textInput({ "aria-label": "Id of the user or device", form: "" });
		const result = h("p.fine", { role: "status" });
		return [h("div.row", kind, input, button("Send test", async () => {
			const task = this.tryRead();
			const id = input.value.trim();
			if (!id || !task) return input.focus();
			for (const name of ["audience", ...LISTS, ...TIMES, "replaces", "deliver_within", "method", "rate"]) {
				delete task[name];
			}
			const answer = await this.post({ ...task, [kind.value]: [id] }, newKey());
			if (answer) replace(result, "Sent as task ", taskLink(this.app, answer.id));
		})), result];
	}

	/** Null after an error, which the form shows. */
	async post(task, key) {
		replace(this.summary);
		showErrors(this.element);
		try {
			return await this.app.post("/tasks", task, { "Idempotency-Key": key });
		} catch (error) {
			const rest = showErrors(this.element, error.fields);
			for (const folded of this.element.querySelectorAll("details:not([open])")) {
				folded.open = folded.querySelector(".error:not([hidden])") !== null;
			}
			replace(this.summary, h("p.error", error.message),
				h("ul.problems", rest.map(({ path, text }) => h("li", h("code", path), " ", text))));
			this.element.querySelector("[aria-invalid]")?.focus();
			return null;
		}
	}

	async submit() {
		const task = this.tryRead();
		if (!task) return;
		const { key } = this;
		const verb = isLater(task) ? "Schedule" : "Send";
		const size = this.size.textContent;
		if (!await confirm(`${verb} this push?`, size === "–" ? "The number of devices is not known." :
			`It is for ${size}.`, verb, "primary")) return;
		const answer = await this.post(task, key);
		if (!answer) return;
		this.key = newKey();
		notify(answer.tasks ? `${plural(answer.tasks.length, "task")} accepted.` : "Accepted.");
		location.hash = this.app.link(answer.id && !isLater(task) ? `task/${answer.id}` : "scheduled");
	}
}

const folded = (title, ...children) => h("details.card", h("summary", h("h2", title)), children);
