// What happens at present.

import { h, redraw, setText, textNode } from "./dom.js";
import { Rate, count, endedDevices, isOpen, nameOf, relative, stateOf } from "./format.js";
import { live } from "./live.js";
import {
	OutcomeBar, ago, badge, card, labelTexts, load, loaded, none, setBadge, timeLeft, waitingText,
} from "./parts.js";

/** One task of a list, changed in place. */
class TaskRow {
	constructor(status, app) {
		this.bar = new OutcomeBar();
		this.rate = new Rate();
		this.state = badge(status.state);
		[this.done, this.speed, this.waiting] = [textNode(), textNode(), textNode()];
		this.element = h("li.task", h("a", { href: app.link(`task/${status.id}`) },
			h("span.line", this.state, h("span.name", title(status)), h("span.fine", ago(status.created))),
			this.bar.element,
			h("span.line.fine", h("span", this.done), h("span.wait", this.waiting), h("span.speed", this.speed))));
	}

	update(status) {
		const { counts } = status;
		const ended = endedDevices(counts);
		const perSecond = this.rate.note(ended);
		this.bar.update(counts);
		setBadge(this.state, stateOf(status));
		setText(this.done, counts.targeted ?
			`${count(ended)} of ${count(counts.targeted)}, ${count(counts.delivered)} delivered` :
			status.state === "closed" ? "no devices" : "no devices yet");
		const waiting = isOpen(status) && waitingText(status.waiting);
		setText(this.waiting, waiting ? `waiting: ${waiting}` : "");
		const left = timeLeft(counts.open, perSecond);
		setText(this.speed, isOpen(status) && perSecond >= 1 ?
			`${count(Math.round(perSecond))}/s ${left && `about ${left} left`}` : "");
	}
}

const title = (status) => Object.keys(status.labels ?? {}).length ? labelTexts(status.labels) :
	h("code", status.id.slice(0, 8));

/** A list in which tasks keep their place until they leave it; new ones come first. */
class TaskList {
	constructor(app) {
		this.app = app;
		this.rows = new Map();
		this.list = h("ul.tasks");
		this.none = none("No tasks yet.");
	}

	update(tasks) {
		const before = this.rows;
		this.rows = new Map(tasks.map((one) => [one.id, before.get(one.id) ?? new TaskRow(one, this.app)]));
		for (const [id, row] of before) if (!this.rows.has(id)) row.element.remove();
		this.list.prepend(...[...this.rows].filter(([id]) => !before.has(id)).map(([, row]) => row.element));
		for (const one of tasks) this.rows.get(one.id).update(one);
		this.none.hidden = tasks.length > 0;
	}
}

export function show({ app, body, tools, signal }) {
	if (app.may("publish", "broadcast")) tools.append(h("a.button.primary", { href: app.link("compose") }, "Compose"));
	load(body, async () => live.app ?? await app.get("/tasks"), (first) => {
		const list = new TaskList(app);
		const outages = h("div");
		const lag = h("div");
		const update = ({ tasks, providers, stages }) => {
			list.update(tasks.toSorted((a, b) => isActive(b) - isActive(a)));
			drawOutages(outages, providers);
			drawLag(lag, stages);
		};
		update(first);
		live.on("app", signal, update);
		return [outages, h("div.columns", card("Under way and recent", list.none, list.list),
			h("div", card("Scheduled next", nextTasks(app)), card("Waiting in the pipeline", lag)))];
	});
}

const isActive = (task) => isOpen(task) || task.state === "failed";

const nextTasks = (app) => loaded(() => app.get("/tasks?state=scheduled&limit=5"), ({ tasks }) => tasks.length ?
	h("ul.plain", tasks.map((one) => h("li", h("a", { href: app.link(`task/${one.id}`) }, title(one)), " ",
		h("span.fine", one.send_at ? relative(one.send_at) : one.send_at_local)))) : none("Nothing is scheduled."));

export function drawOutages(element, providers = []) {
	const names = providers.map((one) => nameOf(one.provider)).join(", ");
	redraw(element, names, () => names && h("div.banner", { role: "status" },
		h("strong", "Provider outage: "), names, ". Devices wait, and are tried again by themselves."));
}

const drawLag = (element, stages) => redraw(element, String(stages?.map((one) => [one.topic, one.waiting])), () =>
	stages ? h("dl.lag", stages.map((one) => h("div", h("dt", one.topic), h("dd", count(one.waiting))))) :
		none("Not known at present."));
