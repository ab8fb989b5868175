// How a message looks on devices, and how much of each limit it uses.

import { h, replace } from "./dom.js";
import { count, nameOf } from "./format.js";
import { check, code } from "./parts.js";

const LOOKS = [
  ["apns", "iPhone"], ["fcm", "Android"], ["huawei", "Huawei"], ["webpush", "Browser"],
];

/** Draws what `POST /v1/previews` answers, for one language at a time. */
export class Previews {
  constructor(app) {
    this.app = app;
    this.languages = h("div.segments");
    this.screens = h("div.screens");
    this.limits = h("div.limits");
    this.payloads = h("div");
    this.problems = h("ul.problems");
    this.language = "default";
    this.answer = { previews: [], problems: [] };
    this.element = h("div", this.languages, this.screens, this.problems, h("h3", "Bytes used"), this.limits,
      h("details", h("summary", "Payloads"), this.payloads));
    this.draw();
  }

  update(answer) {
    this.answer = answer;
    this.draw();
  }

  draw() {
    const { previews, problems } = this.answer;
    const languages = [...new Set(previews.map((one) => one.language ?? "default"))];
    if (!languages.includes(this.language)) this.language = languages[0] ?? "default";
    const shown = languages.join();
    if (this.shownLanguages !== shown) {
      this.shownLanguages = shown;
      replace(this.languages, languages.length > 1 ? languages.map((one) => check(one, h("input", {
        type: "radio", name: "preview-language", checked: one === this.language,
        onchange: () => { this.language = one; this.draw(); },
      }))) : null);
    }
    const own = previews.filter((one) => (one.language ?? "default") === this.language);
    const first = own[0];
    const looks = LOOKS.filter(([provider]) => !previews.length || own.some((one) => one.provider === provider));
    replace(this.screens, looks.map(([provider, label]) =>
      this.screen(provider, label, own.find((one) => one.provider === provider) ?? first)));
    replace(this.problems, problems.map(({ path, message }) => h("li", path ? h("code", path) : null, " ", message)));
    this.drawLimits(previews);
    replace(this.payloads, own.map((one) => h("div", h("h3", nameOf(one.provider)), code(one.payload))));
  }

  screen(provider, label, preview) {
    const title = preview?.title || "";
    const text = preview?.body || "";
    const isEmpty = !title && !text;
    return h("figure", { class: `screen ${provider}` }, h("figcaption", label), h("div", { class: "glass" },
      provider === "apns" ? h("p.clock", { "aria-hidden": "true" }, "9:41") : null,
      h("div.push", h("p.from", h("span.app-icon", { "aria-hidden": "true" }), h("bdi", this.app),
        h("span", provider === "webpush" ? "browser" : "now")),
      isEmpty ? h("p.placeholder", "Nothing to show") : null,
      title ? h("p.push-title", { dir: "auto" }, title) : null, text ? h("p.push-text", { dir: "auto" }, text) :
        null)));
  }

  drawLimits(previews) {
    const largest = new Map();
    for (const one of previews) {
      if (!largest.has(one.provider) || largest.get(one.provider).bytes < one.bytes) largest.set(one.provider, one);
    }
    replace(this.limits, [...largest.values()].map((one) => {
      const isOver = one.bytes > one.bytes_maximum;
      const meter = h("span.meter", h("span"));
      meter.firstChild.style.width = `${Math.min(100, 100 * one.bytes / one.bytes_maximum)}%`;
      return h("div", { class: isOver ? "limit over" : "limit" }, h("span", nameOf(one.provider)), meter,
        h("span.number", `${count(one.bytes)} of ${count(one.bytes_maximum)}`, isOver ? " – too long" : ""));
    }));
  }
}
