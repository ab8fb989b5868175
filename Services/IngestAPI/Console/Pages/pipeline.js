// The stages of the pipeline with the course of their lag, outages, the store, and the simulator's moods.

import { call, currentSession } from "./api.js";
import { h, redraw, replace, setText, textNode } from "./dom.js";
import { Rate, count, endedDevices, isOpen } from "./format.js";
import { live } from "./live.js";
import { drawOutages } from "./now.js";
import { Numbers, badge, button, card, empty, none, notify, table, tableCard } from "./parts.js";

const WIDTH = 240;
const HEIGHT = 36;
const SHOWN_MILLISECONDS = 180_000;
const RATE_MILLISECONDS = 10_000;

/** Drawn once a second, since the stream is silent while nothing changes. */
export function show({ app, body, signal }) {
	const view = new PipelineView();
	body.append(view.element);
	if (currentSession().simulator && app.may("admin")) body.append(simulatorCard());
	const update = () => live.app && view.update(live.app);
	const timer = setInterval(update, 1000);
	signal.addEventListener("abort", () => clearInterval(timer));
	update();
}

class PipelineView {
	constructor() {
		this.outages = h("div");
		this.servers = h("div");
		this.numbers = new Numbers([["Messages waiting"], ["Devices a second"], ["Tasks under way"],
			["Memory of the store"]]);
		this.stages = h("div.stages", none("Not known yet."));
		this.rate = new Rate();
		this.seen = new Map();
		this.ended = 0;
		this.element = h("div", this.outages, this.servers,
			h("section.card", { "aria-label": "Sums" }, this.numbers.element), card("Stages, last 3 minutes", this.stages));
	}

	update({ providers, servers = [], stages, store, tasks }) {
		drawOutages(this.outages, providers);
		redraw(this.servers, JSON.stringify(servers), () => servers.length > 0 && tableCard("Servers that fail",
			["Server", "State", "#Tried again within"], servers.map((one) =>
				[h("bdi", one.server), badge(one.state, "failed"), `${count(one.seconds)} s`])));
		this.noteEnded(tasks);
		const memory = typeof store.memory_percent === "number" ? `${store.memory_percent} %` : "no limit";
		this.numbers.update([stages ? count(stages.reduce((sum, one) => sum + one.waiting, 0)) : "–",
			count(Math.round(this.rate.note(this.ended))), count(tasks.filter(isOpen).length),
			store.is_full ? "full" : memory]);
		const keys = stages?.map((one) => `${one.topic} ${one.group}`);
		redraw(this.stages, String(keys), () => stages ? this.drawStages(stages) :
			empty("The bus does not answer", "The lag of the stages is not known."));
		keys?.forEach((key, index) => updateStage(this.rows[index], key));
	}

	noteEnded(tasks) {
		const before = this.seen;
		this.seen = new Map(tasks.map((task) => [task.id, endedDevices(task.counts)]));
		for (const [id, ended] of this.seen) this.ended += Math.max(0, ended - (before.get(id) ?? ended));
	}

	drawStages(stages) {
		this.rows = stages.map(() => [textNode(), textNode(), textNode(), h("polyline.course", { fill: "none" })]);
		const heads = ["Topic", "Group", "#Waiting", "#Most", "#Messages/s", "Course"];
		return table("Stages", heads, stages.map((one, index) => {
			const [waiting, most, rate, line] = this.rows[index];
			return [one.topic, one.group, waiting, most, rate,
				h("svg", { width: WIDTH, height: HEIGHT, "aria-hidden": "true" }, line)];
		}));
	}
}

function updateStage([waiting, most, rate, line], key) {
	const now = Date.now();
	const samples = live.samples.filter((one) => one.stages.has(key))
		.map((one) => ({ now: one.now, ...one.stages.get(key) }));
	const shown = since(now - SHOWN_MILLISECONDS, samples);
	const highest = Math.max(0, ...shown.map((one) => one.waiting));
	setText(waiting, count(samples.at(-1)?.waiting));
	setText(most, count(highest));
	setText(rate, messagesPerSecond(samples, now));
	line.setAttribute("points", course(shown, highest, now));
}

/** The samples of a time, and the one that holds at its begin, since the stream only says what changed. */
const since = (from, samples) => samples.slice(Math.max(0, samples.findLastIndex((one) => one.now <= from)));

function messagesPerSecond(samples, now) {
	const from = now - RATE_MILLISECONDS;
	const known = since(from, samples.filter((one) => typeof one.handled === "number"));
	const seconds = (now - Math.max(from, known[0]?.now)) / 1000;
	return seconds >= 1 ? count(Math.max(0, Math.round((known.at(-1).handled - known[0].handled) / seconds))) : "–";
}

/** The points of a line with a step for each sample. */
function course(samples, most, now) {
	const x = (time) => (WIDTH * (1 - (now - time) / SHOWN_MILLISECONDS)).toFixed(1);
	return samples.flatMap((one, index) => {
		const y = (HEIGHT - 2 - (HEIGHT - 4) * one.waiting / Math.max(most, 1)).toFixed(1);
		return [`${x(one.now)},${y}`, `${x(samples[index + 1]?.now ?? now)},${y}`];
	}).join(" ");
}

function simulatorCard() {
	const buttons = h("div.line.wrap", { role: "group", "aria-label": "Mood of the simulated providers" });
	const draw = ({ moods, mood }) => replace(buttons, moods.map((one) => button(one, async () => {
		draw(await call("PUT", "/console/simulator", { mood: one }));
		notify(`The simulated providers are ${one}.`);
	}, one === mood ? "primary" : "", { "aria-pressed": String(one === mood) })));
	call("GET", "/console/simulator").then(draw, (error) => replace(buttons, none(error.message)));
	return card("Simulator", h("p.fine", "How every simulated provider answers from now on."), buttons);
}
