// The stages of the pipeline with the course of their lag, outages, the store, and the simulator's moods.

import { call, currentSession } from "./api.js";
import { h, replace, setText } from "./dom.js";
import { Rate, count, endedDevices, isOpen } from "./format.js";
import { live } from "./live.js";
import { drawOutages } from "./now.js";
import { Numbers, button, card, empty, none, notify, table } from "./parts.js";

const WIDTH = 240;
const HEIGHT = 36;
const SHOWN_MILLISECONDS = 180_000;

export function show({ app, body, signal }) {
	const view = new PipelineView();
	body.append(view.element);
	if (currentSession().simulator && app.may("admin")) body.append(simulatorCard());
	if (live.app) view.update(live.app);
	live.on("app", signal, (state) => view.update(state));
}

class PipelineView {
	constructor() {
		this.outages = h("div");
		this.numbers = new Numbers([["Messages waiting"], ["Devices a second"], ["Tasks under way"],
			["Memory of the store"]]);
		this.stages = h("div.stages", none("Waiting for the first message of the pipeline."));
		this.rate = new Rate();
		this.seen = new Map();
		this.ended = 0;
		this.rows = new Map();
		this.element = h("div", this.outages, h("section.card", { "aria-label": "Sums" }, this.numbers.element),
			card("Stages, last 3 minutes", this.stages));
	}

	update({ providers, stages, store, tasks }) {
		drawOutages(this.outages, providers);
		this.noteEnded(tasks);
		const memory = typeof store.memory_percent === "number" ? `${store.memory_percent} %` : "no limit";
		this.numbers.update([stages ? count(stages.reduce((sum, one) => sum + one.waiting, 0)) : "–",
			count(Math.round(this.rate.note(this.ended))), count(tasks.filter(isOpen).length),
			store.is_full ? "full" : memory]);
		if (stages) return this.updateStages(stages);
		this.rows.clear();
		replace(this.stages, empty("The bus does not answer", "The lag of the stages is not known."));
	}

	noteEnded(tasks) {
		const before = this.seen;
		this.seen = new Map(tasks.map((task) => [task.id, endedDevices(task.counts)]));
		for (const [id, ended] of this.seen) this.ended += Math.max(0, ended - (before.get(id) ?? ended));
	}

	updateStages(stages) {
		const keys = stages.map((one) => `${one.topic} ${one.group}`);
		if (keys.length !== this.rows.size || keys.some((key) => !this.rows.has(key))) this.drawStages(stages, keys);
		stages.forEach((one, index) => {
			const row = this.rows.get(keys[index]);
			const { points, most } = course(keys[index]);
			setText(row.waiting, count(one.waiting));
			setText(row.most, count(most));
			row.line.setAttribute("points", points);
		});
	}

	drawStages(stages, keys) {
		this.rows = new Map(keys.map((key) => [key, { waiting: document.createTextNode("0"),
			most: document.createTextNode("0"), line: h("polyline.course", { fill: "none" }) }]));
		replace(this.stages, table("Stages", ["Topic", "Group", "#Waiting", "#Most", "Course"], stages.map((one, index) => {
			const { waiting, most, line } = this.rows.get(keys[index]);
			return [one.topic, one.group, waiting, most, h("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH,
				height: HEIGHT, "aria-hidden": "true" },
			h("line.base", { x1: 0, x2: WIDTH, y1: HEIGHT - 1, y2: HEIGHT - 1 }), line)];
		})));
	}
}

/** The points of a stage's line: a step for each sample, since the stream only says what changed. */
function course(key) {
	const now = Date.now();
	const samples = live.samples.filter((one) => now - one.now <= SHOWN_MILLISECONDS && one.waiting.has(key));
	const most = Math.max(0, ...samples.map((one) => one.waiting.get(key)));
	const x = (time) => (WIDTH * (1 - (now - time) / SHOWN_MILLISECONDS)).toFixed(1);
	const points = samples.flatMap((one, index) => {
		const y = (HEIGHT - 2 - (HEIGHT - 4) * one.waiting.get(key) / Math.max(most, 1)).toFixed(1);
		return [`${x(one.now)},${y}`, `${x(samples[index + 1]?.now ?? now)},${y}`];
	});
	return { points: points.join(" "), most };
}

function simulatorCard() {
	const buttons = h("div.line.wrap", { role: "group", "aria-label": "Mood of the simulated providers" });
	const draw = ({ moods, mood }) => replace(buttons, moods.map((one) => button(one, async () => {
		draw(await call("PUT", "/console/simulator", { mood: one }));
		notify(`The simulated providers are ${one}.`);
	}, one === mood ? "primary" : "", { "aria-pressed": String(one === mood) })));
	call("GET", "/console/simulator").then(draw, (error) => replace(buttons, none(error.message)));
	return card("Simulator", h("p.hint", "How every simulated provider answers from now on."), buttons);
}
