// The one EventSource of the page, and the course of the stages' lag while it is open.

import { checkSession, enc } from "./api.js";

const HIDDEN_MILLISECONDS = 60_000;
const RECONNECT_MILLISECONDS = 5_000;
const SAMPLES_MAXIMUM = 300;

/** Emits `app`, `task` and `state`; lives as long as the page. */
class Live extends EventTarget {
	constructor() {
		super();
		this.address = null;
		this.source = null;
		this.app = null;
		this.state = "off";
		this.samples = [];
		this.timer = 0;
		document.addEventListener("visibilitychange", () => this.visibilityChanged());
	}

	/** Follows an app, and perhaps one of its tasks; null follows nothing. */
	follow(app, task = null) {
		const address = app && `${app.path}/live${task ? `?task=${enc(task)}` : ""}`;
		if (address === this.address) return;
		if (!app || !this.address?.startsWith(`${app.path}/`)) {
			this.app = null;
			this.samples = [];
		}
		this.address = address;
		this.open();
	}

	/** Runs `work` with the newest value of a kind, once a frame at most, until `signal`. */
	on(kind, signal, work) {
		let newest = null;
		this.addEventListener(kind, ({ detail }) => {
			if (!newest) requestAnimationFrame(() => {
				const value = newest;
				newest = null;
				if (!signal.aborted) work(value);
			});
			newest = detail;
		}, { signal });
	}

	open() {
		this.close();
		if (!this.address) return this.change("off");
		this.change("connecting");
		const source = this.source = new EventSource(this.address);
		source.onopen = () => this.change("open");
		// The browser tries again by itself, except after an answer that is no stream.
		source.onerror = () => {
			this.change("connecting");
			if (source.readyState === EventSource.CLOSED) this.again();
		};
		for (const kind of ["app", "task"]) source.addEventListener(kind, ({ data }) => this.received(kind, data));
		source.addEventListener("end", () => {
			source.close();
			this.change("connecting");
			this.again();
		});
	}

	close() {
		clearTimeout(this.timer);
		this.source?.close();
		this.source = null;
	}

	received(kind, data) {
		const value = JSON.parse(data);
		if (kind === "app") {
			this.app = value;
			if (value.stages) this.sample(value.stages);
		}
		this.emit(kind, value);
	}

	sample(stages) {
		this.samples.push({ now: Date.now(), stages: new Map(stages.map((one) => [`${one.topic} ${one.group}`, one])) });
		if (this.samples.length > SAMPLES_MAXIMUM) this.samples.shift();
	}

	again() {
		clearTimeout(this.timer);
		checkSession().catch(() => {});
		this.timer = setTimeout(() => this.open(), RECONNECT_MILLISECONDS);
	}

	visibilityChanged() {
		clearTimeout(this.timer);
		if (document.hidden) {
			this.timer = setTimeout(() => {
				this.close();
				this.change("off");
			}, HIDDEN_MILLISECONDS);
		} else if (this.address && this.source?.readyState !== EventSource.OPEN) {
			this.open();
		}
	}

	change(state) {
		if (state === this.state) return;
		this.state = state;
		this.emit("state", state);
	}

	emit(kind, detail) {
		this.dispatchEvent(new CustomEvent(kind, { detail }));
	}
}

export const live = new Live();
