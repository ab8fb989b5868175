// Parts that several pages use: states, notices, dialogs, fields, tables, bars.

import { Problem, enc } from "./api.js";
import { h, newID, replace, setText, textNode } from "./dom.js";
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
		h("div.bone"), h("div.bone"), h("div.bone")));
	try {
		replace(element, draw(await read()));
	} catch (error) {
		if (error.name === "AbortError") return;
		replace(element, failure(error, () => load(element, read, draw)));
		if (!(error instanceof Problem)) throw error;
	}
}

/** An element of its own that loads. */
export function loaded(read, draw) {
	const element = h("div");
	load(element, read, draw);
	return element;
}

/** Loads one page of a list after the other. */
export function loadPages(element, app, path, draw, before = "") {
	return load(element, () => app.get(path + (before && `&before=${enc(before)}`)), (page) => [draw(page),
		page.next && button("Next page", () => loadPages(element, app, path, draw, page.next))]);
}

export const empty = (title, text) => h("div.state", h("h2", title), text && h("p", text));

export const none = (text) => h("p.fine", text);

export const failure = (error, retry) => h("div.state.bad", { role: "alert" },
	h("h2", { 403: "Forbidden", 404: "Not found" }[error.status] ?? "This did not work"), h("p", error.message),
	retry && button("Try again", retry));

export const forbidden = (scopes) => h("div.state", h("h2", "Forbidden"), h("p", "Your key needs the scope ",
	scopes.map((scope, index) => [index ? " or " : "", h("code", scope)]), " for this page."));

/** `ask` is what `confirm` asks before the work. */
export function button(label, work, kind = "", { ask, ...attributes } = {}) {
	const element = h("button", { type: "button", class: kind, onclick: async () => {
		if (!ask || await confirm(...ask)) busy(element, work);
	}, ...attributes }, label);
	return element;
}

/** Runs work once at a time for a button, and shows a failure as a notice. */
async function busy(element, work) {
	if (element.ariaBusy) return;
	element.ariaBusy = "true";
	try {
		await work();
	} catch (error) {
		if (error.name !== "AbortError") notify(error.message, "bad");
		if (!(error instanceof Problem)) throw error;
	} finally {
		element.ariaBusy = null;
	}
}

export function form(tag, submit, work, ...children) {
	return h(tag, { onsubmit: (event) => {
		event.preventDefault();
		busy(submit, work);
	} }, children);
}

/** A modal dialog; `fill` gets a function that closes it. Escape closes it, and focus returns. */
export function dialog(title, fill) {
	const heading = newID("dialog");
	const element = h("dialog", { "aria-labelledby": heading, onclose: () => element.remove() },
		h("h2", { id: heading }, title));
	element.append(...fill(() => element.close()));
	document.body.append(element);
	element.showModal();
	return element;
}

export function confirm(title, text, action, kind = "danger") {
	return new Promise((resolve) => {
		const element = dialog(title, (close) => [h("p", text), h("div.actions",
			button("Keep", close, "", { autofocus: true }), button(action, () => element.close("yes"), kind))]);
		element.addEventListener("close", () => resolve(element.returnValue === "yes"));
	});
}

export const textInput = (attributes) =>
	h("input", { autocomplete: "off", spellcheck: "false", maxlength: 256, ...attributes });

/** A labelled control. `path` is the field that the server's errors name. */
export function field(label, control, path = "") {
	const id = control.id = newID("field");
	control.setAttribute("aria-describedby", `${id}-error`);
	return h("div.field", { "data-path": path }, h("label", { for: id }, label), control,
		h("p.error", { id: `${id}-error`, hidden: true }));
}

export function select(options, value, onchange, attributes) {
	const element = h("select", { onchange, ...attributes },
		options.map(([key, label]) => h("option", { value: key }, label)));
	element.value = value;
	return element;
}

export const check = (label, input) => h("label.check", input, h("span", label));

/** Shows errors at the fields that they name, in place of those before; the rest is returned. */
export function showErrors(form, fields = []) {
	for (const error of form.querySelectorAll(".error:not([hidden])")) error.hidden = true;
	for (const control of form.querySelectorAll("[aria-invalid]")) control.ariaInvalid = null;
	const elements = [...form.querySelectorAll("[data-path]:not([data-path=''])")]
		.sort((a, b) => b.dataset.path.length - a.dataset.path.length);
	return fields.filter(({ path, text }) => {
		const best = elements.find(({ dataset }) =>
			path === dataset.path || path.startsWith(`${dataset.path}.`) || path.startsWith(`${dataset.path}[`));
		const error = best?.querySelector(".error");
		if (!error) return true;
		error.textContent = path === best.dataset.path ? text : `${path}: ${text}`;
		error.hidden = false;
		best.querySelector("input, textarea, select")?.setAttribute("aria-invalid", "true");
		return false;
	});
}

/** Heads that begin with # are of numbers; `ifEmpty` is shown in place of a table without rows. */
export function table(caption, heads, rows, ifEmpty) {
	if (!rows.length && ifEmpty) return ifEmpty;
	const kinds = heads.map((head) => head.startsWith?.("#") && "number");
	return h("div.scroll", { tabindex: 0, role: "group", "aria-label": caption }, h("table", h("caption.hidden", caption),
		h("thead", h("tr", heads.map((head, index) => h("th", { scope: "col", class: kinds[index] },
			head.replace("#", ""))))),
		h("tbody", rows.map((row) => h("tr", row.map((cell, index) => h("td", { class: kinds[index] }, cell)))))));
}

/** Pairs of a name and a value; those that are false are left out. */
export const facts = (pairs) => h("dl.facts", pairs.filter(Boolean).map(([name, value]) =>
	h("div", h("dt", name), h("dd", value ?? "–"))));

/** The members of an object that are not null, as pairs for `facts`. */
export const entries = (object) => Object.entries(object ?? {}).filter(([, value]) => (value ?? null) !== null)
	.map(([name, value]) => [name.slice(0, 1).toUpperCase() + name.slice(1).replaceAll("_", " "), drawValue(value)]);

function drawValue(value) {
	if (Array.isArray(value)) return value.join(", ") || "–";
	if (typeof value === "object") return JSON.stringify(value);
	if (typeof value === "boolean") return value ? "yes" : "no";
	return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? moment(value) : String(value);
}

export const ago = (value) => h("time", { datetime: value, title: fullTime(value) }, relative(value));

export const moment = (value) => h("time", { datetime: value }, `${fullTime(value)} (${relative(value)})`);

export const card = (title, ...children) => h("section.card", h("h2", title), children);

export const tableCard = (title, ...parts) => card(title, table(title, ...parts));

export const badge = (text, kind = text) => h("span", { class: `badge ${kind}` }, text);

export function setBadge(element, text) {
	if (element.textContent === text) return;
	element.textContent = text;
	element.className = `badge ${text}`;
}

export const taskLink = (app, id, query) =>
	h("a", { href: app.link(`task/${id}`, query) }, h("code", id.slice(0, 8)));

export const deviceLink = (app, id) => h("a", { href: app.link(`devices/${id}`) }, h("code", id));

/** A bar of outcomes whose widths and texts follow a status. */
export class OutcomeBar {
	constructor() {
		this.segments = OUTCOMES.map((name) => h("span", { class: name }));
		this.element = h("div.bar", { role: "img" }, this.segments);
	}

	update(counts) {
		const targeted = Math.max(1, counts.targeted);
		OUTCOMES.forEach((name, index) => {
			this.segments[index].style.width = `${100 * (counts[name] ?? 0) / targeted}%`;
		});
		const ended = share(endedDevices(counts), counts.targeted);
		this.element.ariaLabel = `${ended} ended, ${count(counts.delivered)} delivered`;
	}
}

/** Numbers that change in place. */
export class Numbers {
	constructor(entries) {
		this.nodes = entries.map(() => textNode("–"));
		this.element = h("dl.numbers.grid", entries.map(([label, kind], index) => h("div", { class: kind },
			h("dt", label), h("dd", this.nodes[index]))));
	}

	update(values) {
		values.forEach((value, index) => setText(this.nodes[index], value));
	}
}

export const labelTexts = (labels) => Object.entries(labels ?? {}).map(([name, value]) =>
	h("span.label", `${name}: `, h("bdi", value)));

export const waitingText = (waiting) => Object.entries(waiting ?? {}).map(([cause, value]) =>
	[cause, value.devices ?? value]).filter(([, devices]) => devices).map(([cause, devices]) =>
	`${nameOf(cause)}: ${count(devices)}`).join(", ");

export const timeLeft = (open, perSecond) => perSecond > 0 && open > 0 ? duration(1000 * open / perSecond) : "";

/** A text, or another value as JSON. */
export const code = (value) => h("pre.code", { tabindex: 0 },
	h("code", typeof value === "string" ? value : JSON.stringify(value, null, 2)));

export const details = (title, ...children) => h("details", h("summary", title), children);
