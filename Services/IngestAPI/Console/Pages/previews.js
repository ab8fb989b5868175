// How a message looks on devices, and how much of each limit it uses.

import { h, redraw, replace } from "./dom.js";
import { count, nameOf } from "./format.js";
import { code, details, select } from "./parts.js";

const LOOKS = { apns: "iPhone", fcm: "Android", huawei: "Huawei", webpush: "Browser" };

/** Draws what `POST /v1/previews` answers, for one language at a time. */
export class Previews {
	constructor(app) {
		this.app = app;
		this.languages = h("div");
		this.screens = h("div.screens.grid");
		this.limits = h("div");
		this.payloads = h("div");
		this.problems = h("ul.problems");
		this.element = h("div", this.languages, this.screens, this.problems, h("h3", "Bytes used"), this.limits,
			details("Payloads", this.payloads));
		this.update({ previews: [], problems: [] });
	}

	update({ previews, problems }) {
		this.previews = previews;
		replace(this.problems, problems.map(({ path, message }) => h("li", path && h("code", path), " ", message)));
		const languages = [...new Set(previews.map(languageOf))];
		if (!languages.includes(this.language)) this.language = languages[0];
		// Drawn anew only for other languages: it may have the focus.
		redraw(this.languages, languages.join(), () => languages.length > 1 &&
			select(languages.map((one) => [one, one]), this.language, ({ target }) => this.draw(target.value),
				{ "aria-label": "Language" }));
		this.draw(this.language);
		this.drawLimits();
	}

	draw(language) {
		this.language = language;
		const own = this.previews.filter((one) => languageOf(one) === language);
		const find = (provider) => own.find((one) => one.provider === provider);
		const shown = Object.keys(LOOKS).filter((provider) => !own.length || find(provider));
		replace(this.screens, shown.map((provider) => this.screen(provider, find(provider))));
		replace(this.payloads, own.map((one) => [h("h3", nameOf(one.provider)), code(one.payload)]));
	}

	screen(provider, { title, body } = {}) {
		return h("figure", { class: `screen ${provider}` }, h("figcaption", LOOKS[provider]), h("div.glass",
			provider === "apns" && h("p.clock", { "aria-hidden": "true" }, "9:41"),
			h("div.push", h("p.from", h("bdi", this.app), provider === "webpush" ? "browser" : "now"),
			!title && !body && h("p.fine", "Nothing to show"), title && h("p.push-title", { dir: "auto" }, title),
			body && h("p.push-text", { dir: "auto" }, body))));
	}

	drawLimits() {
		const largest = new Map();
		for (const one of this.previews) {
			if (!(largest.get(one.provider)?.bytes >= one.bytes)) largest.set(one.provider, one);
		}
		replace(this.limits, [...largest.values()].map(({ provider, bytes, bytes_maximum: maximum }) => {
			const isOver = bytes > maximum;
			return h(isOver ? "div.limit.over" : "div.limit", h("span", nameOf(provider)),
				h("meter", { max: maximum, value: bytes, "aria-hidden": "true" }),
				h("span", `${count(bytes)} of ${count(maximum)}${isOver ? " – too long" : ""}`));
		}));
	}
}

const languageOf = (preview) => preview.language ?? "default";
