// One task: its status live, content, outcomes by platform, and what became of a device.

import { enc } from "./api.js";
import { h, redraw, setText, textNode } from "./dom.js";
import {
	OUTCOMES, PLATFORMS, Rate, count, duration, endedDevices, nameOf, plural, share, stateOf,
} from "./format.js";
import { live } from "./live.js";
import {
	Numbers, OutcomeBar, badge, button, card, code, details, deviceLink, empty, entries, facts, field, form, labelTexts,
	load, loaded, none, notify, setBadge, table, taskLink, textInput, timeLeft, waitingText,
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
		this.progress = textNode();
		this.numbers = new Numbers([["Targeted"], ["Ended"], ["Progress"], ["Devices a second"], ["Time left"]]);
		this.outcomes = new Numbers(OUTCOMES.map((name) => [nameOf(name), `outcome ${name}`]));
		this.receipts = new Numbers([["Delivered"], ["Opened"], ["Dismissed"], ["Actions"]]);
		this.timeline = h("div");
		this.waiting = textNode();
		this.problem = h("div");
		this.report = h("div", none("Made when the task is closed."));
		this.elements = [this.problem, this.statusCard(),
			h("div.columns.even", h("div", this.deviceCard(), card("Report", this.report)),
				h("div", card("Content", this.content()), card("Timeline", this.timeline)))];
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
		this.numbers.update([count(counts.targeted), count(ended), share(ended, counts.targeted),
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
		const shown = [status.state, status.closed, status.problem, status.replaced_by].join();
		const { id, created, send_at, send_at_local, window, deadline, closed, lane, labels, replaces } = status;
		redraw(this.timeline, shown, () => facts([
			["Id", h("code", id)],
			...entries({ created, send_at, send_at_local, ...window, deadline, lane, replaces }),
			Object.keys(labels).length > 0 && ["Labels", labelTexts(labels)],
			status.replaced_by && ["Replaced by", taskLink(this.app, status.replaced_by)],
			...entries({ entries_without_device: status.unmatched || null, closed }),
			closed && ["Took", duration(lasted(status))],
		]));
		redraw(this.problem, shown, () => status.problem && h("div.banner.bad", { role: "alert" }, h("strong", "Problem: "),
			status.problem));
	}

	readReport() {
		load(this.report, () => this.app.get(`${this.path}/report`), (report) => {
			const platforms = [...PLATFORMS, "unknown"].filter((name) => report.by_platform?.[name]?.targeted);
			const used = ["targeted", ...OUTCOMES.filter((name) => report.counts[name])];
			return [table("Outcomes by platform", ["Platform", ...used.map((name) => `#${nameOf(name)}`)],
				platforms.map((name) => [nameOf(name), ...used.map((outcome) => count(report.by_platform[name][outcome]))]),
				none("No devices.")), report.reasons?.length > 0 && drawReasons(report.reasons)];
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

/** Why devices were not delivered; the last entry may sum the rest. */
const drawReasons = (reasons) => [h("h3", "Reasons"), table("Reasons", ["Outcome", "Status", "Reason", "#Devices"],
	reasons.map(({ outcome, status, reason, count: devices }) => [outcome ? badge(nameOf(outcome), outcome) : "–",
		status || "–", h("bdi", reason), count(devices)]))];

const drawTrace = ({ state, why, device, reason, status, attempt, time, next_attempt }, app) => h("div.trace",
	h("p", badge(nameOf(state), state), " ", h("strong", why)),
	facts([["Device", deviceLink(app, device)], ...entries({ reason, status: status || null,
		attempt: attempt === null ? null : attempt + 1, time, next_attempt })]));

function progress({ state, jobs }, ended) {
	const isLookingUp = jobs?.resolved < jobs?.total;
	return {
		scheduled: "waits for its time",
		accepted: "looking up devices",
		sending: isLookingUp ? `looking up devices, step ${jobs.resolved} of ${jobs.total}` : "sending",
		closed: `closed, ${plural(ended, "device")} ended`,
		failed: "stopped; the operator can resume it",
	}[state];
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
