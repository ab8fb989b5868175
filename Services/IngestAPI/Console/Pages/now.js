// What happens at present.

import { enc } from "./api.js";
import { h, replace, setText } from "./dom.js";
import { Rate, count, endedDevices, isOpen, nameOf, relative, stateOf } from "./format.js";
import { live } from "./live.js";
import {
	OutcomeBar, ago, badge, button, card, labelTexts, load, loaded, none, setBadge, timeLeft, waitingText,
} from "./parts.js";

/** One task of a list, changed in place. */
class TaskRow {
	constructor(status, app) {
		this.bar = new OutcomeBar();
		this.rate = new Rate();
		this.state = badge(status.state);
		this.done = document.createTextNode("");
		this.speed = document.createTextNode("");
		this.waiting = document.createTextNode("");
		this.element = h("li.task", h("a", { href: app.link(`task/${status.id}`) },
			h("span.line", this.state, h("span.name", title(status)), h("span.fine", ago(status.created))),
			this.bar.element,
			h("span.line.fine", h("span", this.done), h("span.wait", this.waiting), h("span.speed", this.speed))));
		this.update(status);
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

/** A list that keeps the rows of tasks that stay. */
class TaskList {
	constructor(text, app) {
		this.rows = new Map();
		this.list = h("ul.tasks");
		this.none = none(text);
		this.app = app;
	}

	update(tasks) {
		const wanted = new Set(tasks.map((one) => one.id));
		for (const [id, row] of this.rows) {
			if (wanted.has(id)) continue;
			row.element.remove();
			this.rows.delete(id);
		}
		tasks.forEach((status, index) => {
			const row = this.rows.get(status.id);
			if (row) row.update(status);
			else this.rows.set(status.id, new TaskRow(status, this.app));
			const { element } = this.rows.get(status.id);
			if (this.list.children[index] !== element) this.list.insertBefore(element, this.list.children[index] ?? null);
		});
		this.none.hidden = tasks.length > 0;
	}
}

export function show({ app, body, tools, signal }) {
	if (app.may("publish", "broadcast")) tools.append(h("a.button.primary", { href: app.link("compose") }, "Compose"));
	load(body, async () => live.app ?? await app.get("/tasks"), (first) => {
		const active = new TaskList("Nothing is being sent.", app);
		const recent = new TaskList("No tasks yet.", app);
		const outages = h("div");
		const lag = h("div");
		const update = (state) => {
			const isActive = (one) => isOpen(one) || one.state === "failed";
			active.update(state.tasks.filter(isActive));
			recent.update(state.tasks.filter((one) => !isActive(one)));
			drawOutages(outages, state.providers);
			drawLag(lag, state.stages);
		};
		update(first);
		live.on("app", signal, update);
		return [outages, h("div.columns",
			h("div", card("Under way", active.none, active.list),
				card("Recent", recent.none, recent.list, olderTasks(app, recent.rows))),
			h("div", card("Waiting in the pipeline", lag), card("Scheduled next", nextTasks(app))))];
	});
}

function olderTasks(app, known) {
	const list = h("ul.tasks");
	let before = "";
	const more = button("Show older", async () => {
		const { tasks, next } = await app.get(`/tasks?limit=50${before}`);
		before = `&before=${enc(next)}`;
		list.append(...tasks.filter((one) => !known.has(one.id)).map((one) => new TaskRow(one, app).element));
		more.hidden = !next;
	}, "quiet");
	return [list, more];
}

const nextTasks = (app) => loaded(() => app.get("/tasks?state=scheduled&limit=5"), ({ tasks }) => tasks.length ?
	h("ul.plain", tasks.map((one) => h("li", h("a", { href: app.link(`task/${one.id}`) }, title(one)), " ",
		h("span.fine", one.send_at ? relative(one.send_at) : one.send_at_local)))) : none("Nothing is scheduled."));

/** Whether what an element shows has changed since. */
function isNew(element, shown) {
	if (element.dataset.shown === shown) return false;
	element.dataset.shown = shown;
	return true;
}

export function drawOutages(element, providers = []) {
	const names = providers.map((one) => nameOf(one.provider)).join(", ");
	if (isNew(element, names)) replace(element, names && h("div.banner", { role: "status" },
		h("strong", "Provider outage: "), names, ". Devices wait, and are tried again by themselves."));
}

function drawLag(element, stages) {
	if (isNew(element, stages ? stages.map((one) => one.topic).join() : String(stages))) replace(element, stages ?
		h("dl.lag", stages.map((one) => h("div", h("dt", one.topic), h("dd", "0")))) :
		none(stages === null ? "The bus does not answer." : "Not known yet."));
	stages?.forEach((one, index) => setText(element.querySelectorAll("dd")[index].firstChild, count(one.waiting)));
}
