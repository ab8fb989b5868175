// One task: its status live, content, outcomes by platform, and what became of a device.

import { enc } from "./api.js";
import { h, replace, setText } from "./dom.js";
import {
	OUTCOMES, PLATFORMS, Rate, count, duration, endedDevices, nameOf, plural, share, stateOf,
} from "./format.js";
import { live } from "./live.js";
import {
	Numbers, OutcomeBar, badge, button, card, code, details, deviceLink, empty, facts, field, form, labelTexts, load,
	loaded, moment, none, notify, setBadge, table, taskLink, textInput, timeLeft, waitingText,
} from "./parts.js";

export function show({ app, argument: id, query, tools, body, signal, title }) {
	if (!id) return body.append(empty("No task", "The address names no task."));
	title.append(" ", h("code.id", id.slice(0, 8)));
	const path = `/tasks/${enc(id)}`;
	load(body, () => app.get(path), (status) => {
		const view = new TaskView({ app, id, path, tools });
		view.update(status);
		live.on("task", signal, (newest) => {
			if (newest.id === id) view.update(newest);
		});
		if (query.has("device")) view.showDevice(query.get("device"));
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
		this.waiting = document.createTextNode("");
		this.problem = h("div");
		this.report = h("div", none("The report is made when the task is closed."));
		this.elements = [this.problem, this.statusCard(),
			h("div.columns.even", h("div", card("Outcomes by platform", this.report), this.deviceCard()),
				h("div", card("Timeline", this.timeline), card("Content", this.content())))];
		this.addTools();
	}

	statusCard() {
		return h("section.card", { "aria-label": "Status" }, h("div.line", this.state, h("span", this.progress)),
			this.bar.element, this.numbers.element, h("p.fine.wait-line", this.waiting), h("h2", "Outcomes"),
			this.outcomes.element, details("Receipts from the devices", this.receipts.element));
	}

	addTools() {
		if (this.app.may("publish", "broadcast")) {
			this.tools.append(h("a.button", { href: this.app.link("compose", { from: this.id }) }, "Send again"));
		}
		this.cancel = button("Cancel task", async () => {
			await this.app.post(`${this.path}/cancel`);
			notify("The task is being cancelled.");
			this.update(await this.app.get(this.path));
		}, "danger", { hidden: true, ask: ["Cancel this task?",
			"Devices that no sender is sending to end as cancelled. Pushes that are in flight arrive.", "Cancel task"] });
		if (this.app.may("publish", "broadcast", "admin")) this.tools.append(this.cancel);
	}

	update(status) {
		const { counts, receipts } = status;
		const ended = endedDevices(counts);
		const isOver = status.state === "closed";
		const perSecond = this.rate.note(ended);
		setBadge(this.state, stateOf(status));
		setText(this.progress, progress(status, ended));
		this.bar.update(counts);
		this.numbers.update([count(counts.targeted), `${count(ended)} (${share(ended, counts.targeted)})`,
			count(Math.round(isOver ? 1000 * ended / (lasted(status) || Infinity) : perSecond)),
			!isOver && timeLeft(counts.open, perSecond) || "–"]);
		this.outcomes.update(OUTCOMES.map((name) => count(counts[name])));
		this.receipts.update([receipts.delivered, receipts.opened, receipts.dismissed, receipts.actions].map(count));
		const waiting = !isOver && waitingText(status.waiting);
		setText(this.waiting, waiting ? `Devices that wait: ${waiting}` : "");
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
		const { send_at, window } = status;
		replace(this.timeline, facts([
			["Created", moment(status.created)],
			send_at && ["Planned for", moment(send_at)],
			status.send_at_local && ["At each device's time", status.send_at_local],
			window && ["Window", [moment(window.opens), " to ", moment(window.ends), `, ${window.method}`]],
			["Deadline", moment(status.deadline)],
			["Closed", moment(status.closed)],
			status.closed && ["Took", duration(lasted(status))],
			status.lane && ["Lane", status.lane],
			Object.keys(status.labels).length > 0 && ["Labels", labelTexts(status.labels)],
			status.replaces && ["Replaces key", h("bdi", status.replaces)],
			status.replaced_by && ["Replaced by", taskLink(this.app, status.replaced_by)],
			status.unmatched > 0 && ["Entries without a device", count(status.unmatched)],
			["Id", h("code", status.id)],
		]));
		replace(this.problem, status.problem && h("div.banner.bad", { role: "alert" }, h("strong", "Problem: "),
			status.problem));
	}

	readReport() {
		load(this.report, () => this.app.get(`${this.path}/report`), (report) => {
			const platforms = [...PLATFORMS, "unknown"].filter((name) => report.by_platform?.[name]?.targeted);
			const used = ["targeted", ...OUTCOMES.filter((name) => report.counts[name])];
			return table("Outcomes by platform", ["Platform", ...used.map((name) => `#${nameOf(name)}`)],
				platforms.map((name) => [nameOf(name), ...used.map((outcome) => count(report.by_platform[name][outcome]))]),
				none("No devices."));
		});
	}

	content() {
		return loaded(() => this.app.get(`${this.path}/content`).catch((error) => {
			if (error.status !== 404) throw error;
		}), (content) => content ? drawContent(content) : none("The content is no longer stored."));
	}

	deviceCard() {
		this.device = textInput({ name: "device", required: true });
		this.trace = h("div", { "aria-live": "polite" });
		const submit = h("button", "Why?");
		return card("One device", form("form.row", submit, () => this.showDevice(this.device.value.trim()),
			field("Device id", this.device), submit), this.trace);
	}

	showDevice(id) {
		this.device.value = id;
		return load(this.trace, () => this.app.get(`${this.path}/devices/${enc(id)}`), (trace) =>
			drawTrace(trace, this.app));
	}
}

function drawTrace(trace, app) {
	return h("div.trace", h("p", badge(nameOf(trace.state), trace.state), " ", h("strong", trace.why)), facts([
		["Device", deviceLink(app, trace.device)],
		trace.reason && ["Reason", h("bdi", trace.reason)],
		trace.status && ["Status of the provider", trace.status],
		trace.attempt !== null && ["Attempt", trace.attempt + 1],
		trace.time && ["Time", moment(trace.time)],
		trace.next_attempt && ["Next attempt", moment(trace.next_attempt)],
	]));
}

function progress({ state, jobs }, ended) {
	switch (state) {
	case "scheduled": return "waits for its time";
	case "accepted": return "looking up devices";
	case "closed": return `closed, ${plural(ended, "device")} ended`;
	case "failed": return "stopped; the operator can resume it";
	default: return jobs.resolved < jobs.total ?
		`looking up devices, ${jobs.resolved} of ${jobs.total} steps` : "sending";
	}
}

const lasted = (status) => new Date(status.closed) - new Date(status.send_at ?? status.created);

/** The texts of a language; a text for all languages is that of `default`. */
function textsByLanguage(message) {
	const texts = ["title", "subtitle", "body"].map((name) =>
		typeof message[name] === "string" ? { default: message[name] } : message[name] ?? {});
	const languages = new Set(texts.flatMap(Object.keys));
	return [...languages].map((language) => [language, texts.map((one) => one[language])]);
}

function drawContent(content) {
	const messages = Object.entries({ "All platforms": content.message, ...content.messages }).filter(([, one]) => one);
	return [messages.map(([platform, message]) => [messages.length > 1 && h("h3", nameOf(platform)),
		textsByLanguage(message).map(([language, [title, ...rest]]) => h("div.text", h("span.label", language),
			title && h("p", { dir: "auto" }, h("strong", title)),
			rest.map((text) => text && h("p", { dir: "auto" }, text))))]), details("As JSON", code(content))];
}
