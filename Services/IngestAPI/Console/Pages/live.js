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
    this.task = null;
    this.state = "off";
    this.samples = [];
    this.timer = 0;
    document.addEventListener("visibilitychange", () => this.visibilityChanged());
  }

  /** Follows an app, and perhaps one of its tasks; null follows nothing. */
  follow(app, task = null) {
    const address = app ? `${app.path}/live${task ? `?task=${enc(task)}` : ""}` : null;
    if (address === this.address) return;
    if (!app || !this.address?.startsWith(`${app.path}/`)) {
      this.app = null;
      this.samples = [];
    }
    this.task = null;
    this.address = address;
    this.open();
  }

  open() {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
    if (!this.address) return this.change("off");
    this.change("connecting");
    const source = this.source = new EventSource(this.address);
    source.onopen = () => this.change("open");
    source.onerror = () => this.failed(source);
    source.addEventListener("app", (event) => this.received("app", event));
    source.addEventListener("task", (event) => this.received("task", event));
    source.addEventListener("end", () => this.ended());
  }

  received(kind, event) {
    let value;
    try {
      value = JSON.parse(event.data);
    } catch {
      return;
    }
    this[kind] = value;
    if (kind === "app" && value.stages) this.sample(value.stages);
    this.dispatchEvent(new CustomEvent(kind, { detail: value }));
  }

  sample(stages) {
    this.samples.push({ now: Date.now(),
      waiting: new Map(stages.map((one) => [`${one.topic} ${one.group}`, one.waiting])) });
    if (this.samples.length > SAMPLES_MAXIMUM) this.samples.shift();
  }

  /** The browser tries again by itself, except after an answer that is no stream. */
  failed(source) {
    this.change("connecting");
    if (source.readyState === EventSource.CLOSED) this.again();
  }

  ended() {
    this.source.close();
    this.change("connecting");
    this.again();
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
        this.source?.close();
        this.source = null;
        this.change("off");
      }, HIDDEN_MILLISECONDS);
    } else if (this.address && this.source?.readyState !== EventSource.OPEN) {
      this.open();
    }
  }

  change(state) {
    if (state === this.state) return;
    this.state = state;
    this.dispatchEvent(new CustomEvent("state", { detail: state }));
  }
}

export const live = new Live();
