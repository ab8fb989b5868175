// Writes a task: audience, texts, options; counts, previews, a test, and the send.

import { AudienceForm } from "./audience-form.js";
import { debounce, h, replace } from "./dom.js";
import { PLATFORMS, count, nameOf, plural } from "./format.js";
import {
  busy, button, card, check, clearErrors, code, confirm, copyButton, failure, field, notify, select, showErrors,
} from "./parts.js";
import { Previews } from "./previews.js";

const TEXTS = ["title", "subtitle", "body"];
const OPTIONS = ["time_to_live", "priority", "collapse_id", "ambiguous"];
const COUNT_MILLISECONDS = 400;
const PREVIEW_MILLISECONDS = 500;

export async function show(context) {
  const { app, body, query, signal } = context;
  const composer = new Composer(context);
  replace(body, composer.element);
  const from = query.get("from");
  if (!from) return;
  try {
    composer.write(await app.get(`/tasks/${encodeURIComponent(from)}/content`, { signal }));
  } catch (error) {
    if (error.name !== "AbortError") body.prepend(failure(error));
  }
}

/** A key that lets the server send a repeated request once. */
function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

const words = (text) => text.split(/[\s,]+/).filter(Boolean);

class Composer {
  constructor({ app, signal, link }) {
    Object.assign(this, { app, signal, link });
    this.key = newKey();
    this.extra = {};
    this.languages = new Map();
    this.previews = new Previews(app.name);
    this.countLater = debounce(COUNT_MILLISECONDS, () => this.count());
    this.previewLater = debounce(PREVIEW_MILLISECONDS, () => this.preview());
    const changed = () => this.changed();
    this.listUsers = h("textarea", { rows: "4", spellcheck: "false", oninput: changed });
    this.listDevices = h("textarea", { rows: "4", spellcheck: "false", class: "mono", oninput: changed });
    this.isBuilt = false;
    this.audience = new AudienceForm({ changed, mayAll: app.may(["broadcast"]), modes: [
      ["users", ["Users", field("User ids", this.listUsers, { hint: "Separated by spaces, commas or lines.", path: "users" })]],
      ["devices", ["Devices", field("Device ids", this.listDevices, { hint: "Separated by spaces, commas or lines.", path: "devices" })]],
    ] });
    this.makeControls(changed);
    this.draw();
    this.isBuilt = true;
    this.changed();
  }

  makeControls(changed) {
    const input = (attributes = {}) => h("input", { autocomplete: "off", oninput: changed, ...attributes });
    this.platforms = new Map(PLATFORMS.map((name) => [name, h("input", { type: "checkbox", onchange: changed })]));
    this.message = {
      url: input({ inputmode: "url", placeholder: "https://" }), image: input({ inputmode: "url", placeholder: "https://" }),
      sound: input(), category: input(), badge: input({ placeholder: "increment, or a number" }),
    };
    this.data = h("textarea", { rows: "3", class: "mono", spellcheck: "false", placeholder: '{"match": 12}', oninput: changed });
    this.silent = h("input", { type: "checkbox", onchange: changed });
    this.options = {
      time_to_live: input({ placeholder: "such as 12h" }),
      priority: select([["", "high (default)"], ["normal", "normal"]], "", changed),
      collapse_id: input({ maxlength: "64" }),
      ambiguous: select([["", "at least once (default)"], ["at_most_once", "at most once"]], "", changed),
    };
    const rules = [["", "app's default"], ["defer", "wait"], ["skip", "skip"], ["ignore", "send all the same"]];
    this.rules = {
      quiet_hours: select(rules, "", changed), cap: select(rules, "", changed), rate: input({ type: "number", min: "1", max: "1000000" }),
      replaces: input({ maxlength: "64" }), deliver_within: input({ placeholder: "such as 3h; for users" }),
    };
    this.variables = h("textarea", { rows: "3", spellcheck: "false", placeholder: "name=value, one a line", oninput: changed });
    this.labels = h("textarea", { rows: "2", spellcheck: "false", placeholder: "campaign=spring, one a line", oninput: changed });
    this.when = select([["now", "At once"], ["at", "At a time"], ["local", "At each device's own time"]], "now", () => {
      this.whenInput.parentElement.hidden = this.when.value === "now";
      changed();
    });
    this.whenInput = input({ type: "datetime-local" });
  }

  draw() {
    const { message, options, rules } = this;
    this.columns = h("div", { class: "languages" });
    this.addLanguage("default");
    this.size = h("output", { class: "size" }, "–");
    this.sizeDetail = h("p", { class: "fine" });
    this.summary = h("div", { role: "alert" });
    this.curl = code("");
    this.send = h("button", { class: "primary big" }, "Send");
    this.form = h("form", { class: "compose", onsubmit: (event) => {
      event.preventDefault();
      busy(this.send, () => this.submit());
    } }, h("div", { class: "edit" },
      card("To", this.audience.element, h("fieldset", { class: "checks", "data-path": "platforms" }, h("legend", {}, "Platforms (none: all)"),
        [...this.platforms].map(([name, box]) => check(nameOf(name), box)), h("p", { class: "error", hidden: true }))),
      card("Message", this.columns, this.languageAdder(), h("div", { class: "grid" },
        field("Address to open", message.url, { path: "message.url" }), field("Image", message.image, { path: "message.image" }))),
      card("When", h("div", { class: "grid" }, field("Send", this.when), field("Time", this.whenInput, { path: "send_at" }))),
      h("details", { class: "card" }, h("summary", {}, h("h2", {}, "Options")), h("div", { class: "grid" },
        field("Time to live", options.time_to_live, { path: "options.time_to_live" }), field("Priority", options.priority, { path: "options.priority" }),
        field("Collapse id", options.collapse_id, { path: "options.collapse_id" }), field("Doubtful pushes", options.ambiguous, { path: "options.ambiguous" }),
        field("In quiet hours", rules.quiet_hours, { path: "quiet_hours" }), field("Above the cap", rules.cap, { path: "cap" }),
        field("Devices a second", rules.rate, { path: "rate" }), field("Replaces tasks with key", rules.replaces, { path: "replaces" }),
        field("Deliver within", rules.deliver_within, { path: "deliver_within" }),
        field("Sound", message.sound, { path: "message.sound" }), field("Category", message.category, { path: "message.category" }),
        field("Badge", message.badge, { path: "message.badge" }), field("Labels", this.labels, { path: "labels" }),
        field("Variables", this.variables, { path: "variables" }), field("Data as JSON", this.data, { path: "message.data" }),
        check("Silent: wakes the app, shows nothing", this.silent)))),
    h("div", { class: "aside" }, h("section", { class: "card sticky", "aria-label": "Send" }, h("div", { class: "line" }, this.size, this.send),
      this.sizeDetail, this.summary), card("Test first", this.testRow()), card("Preview", this.previews.element),
      h("details", { class: "card" }, h("summary", {}, h("h2", {}, "The same with curl")), this.curl, copyButton(() => this.curl.textContent))));
    this.whenInput.parentElement.hidden = true;
    this.element = this.form;
  }

  languageAdder() {
    const input = h("input", { maxlength: "35", placeholder: "fr", size: "6", "aria-label": "Language", onkeydown: (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      add();
    } });
    const add = () => {
      const language = input.value.trim();
      if (!/^[A-Za-z0-9_-]{2,35}$/.test(language) || this.languages.has(language)) return input.select();
      input.value = "";
      this.addLanguage(language).title.focus();
      this.changed();
    };
    return h("div", { class: "line" }, input, button("Add language", add));
  }

  addLanguage(language) {
    const changed = () => this.changed();
    const texts = {
      title: h("input", { autocomplete: "off", dir: "auto", oninput: changed }), subtitle: h("input", { autocomplete: "off", dir: "auto", oninput: changed }),
      body: h("textarea", { rows: "4", dir: "auto", oninput: changed }),
    };
    const name = { title: "Title", subtitle: "Subtitle", body: "Text" };
    const isDefault = language === "default";
    const column = h("div", { class: "language", role: "group", "aria-label": `Language ${language}` }, h("p", { class: "line" }, h("span", { class: "label" }, language),
      isDefault ? null : button("×", () => {
        this.languages.delete(language);
        column.remove();
        this.changed();
      }, "quiet", { "aria-label": `Remove ${language}` })),
    TEXTS.map((text) => field(name[text], texts[text], { path: isDefault ? `message.${text}` : `message.${text}.${language}` })));
    this.languages.set(language, texts);
    this.columns.append(column);
    return texts;
  }

  /** The task as the form has it. */
  read() {
    const task = { ...this.extra };
    const { mode } = this.audience;
    if (mode === "users") task.users = words(this.listUsers.value);
    else if (mode === "devices") task.devices = words(this.listDevices.value);
    else task.audience = this.audience.read() ?? undefined;
    const platforms = [...this.platforms].filter(([, box]) => box.checked).map(([name]) => name);
    if (platforms.length) task.platforms = platforms;
    const message = this.readMessage();
    if (Object.keys(message).length) task.message = message;
    const options = Object.fromEntries(OPTIONS.map((name) => [name, this.options[name].value.trim()]).filter(([, value]) => value));
    if (Object.keys(options).length) task.options = options;
    for (const [name, control] of Object.entries(this.rules)) {
      const value = control.value.trim();
      if (value) task[name] = name === "rate" ? Number(value) : value;
    }
    for (const name of ["labels", "variables"]) {
      const pairs = this[name].value.split("\n").filter((line) => line.includes("=")).map((line) => {
        const at = line.indexOf("=");
        return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
      });
      if (pairs.length) task[name] = Object.fromEntries(pairs);
    }
    if (this.when.value === "at" && this.whenInput.value) task.send_at = new Date(this.whenInput.value).toISOString();
    if (this.when.value === "local" && this.whenInput.value) task.send_at_local = this.whenInput.value.slice(0, 16);
    return task;
  }

  readMessage() {
    const message = { ...this.extraMessage };
    for (const name of TEXTS) {
      const texts = [...this.languages].map(([language, controls]) => [language, controls[name].value]).filter(([, text]) => text);
      if (!texts.length) continue;
      message[name] = texts.length === 1 && texts[0][0] === "default" ? texts[0][1] : Object.fromEntries(texts);
    }
    for (const [name, control] of Object.entries(this.message)) {
      const value = control.value.trim();
      if (value) message[name] = name === "badge" && /^\d+$/.test(value) ? Number(value) : value;
    }
    if (this.data.value.trim()) message.data = JSON.parse(this.data.value);
    if (this.silent.checked) message.silent = true;
    return message;
  }

  /** Fills the form; what it has no control for is sent as it is. */
  write(task) {
    const { audience, users, devices, platforms, message = {}, options = {}, labels, variables, send_at, send_at_local, ...rest } = task;
    if (users) {
      this.listUsers.value = users.join("\n");
      this.audience.choose("users");
    } else if (devices) {
      this.listDevices.value = devices.join("\n");
      this.audience.choose("devices");
    } else if (audience) this.audience.write(audience);
    for (const name of platforms ?? []) if (this.platforms.has(name)) this.platforms.get(name).checked = true;
    this.writeMessage(message);
    for (const name of OPTIONS) if (options[name]) this.options[name].value = options[name];
    for (const [name, control] of Object.entries(this.rules)) {
      if (rest[name] !== undefined && rest[name] !== null) control.value = rest[name];
      delete rest[name];
    }
    const lines = (pairs) => Object.entries(pairs ?? {}).map(([name, value]) => `${name}=${value}`).join("\n");
    this.labels.value = lines(labels);
    this.variables.value = lines(variables);
    this.extra = rest;
    if (Object.keys(rest).length) {
      this.columns.before(h("p", { class: "hint" }, "Also sent, as in the copied task: ", Object.keys(rest).join(", "), "."));
    }
    this.changed();
  }

  writeMessage(message) {
    const { title, subtitle, body, data, silent, ...rest } = message;
    for (const [name, text] of Object.entries({ title, subtitle, body })) {
      for (const [language, value] of Object.entries(typeof text === "string" ? { default: text } : text ?? {})) {
        (this.languages.get(language) ?? this.addLanguage(language))[name].value = value;
      }
    }
    for (const [name, control] of Object.entries(this.message)) {
      if (rest[name] !== undefined) control.value = rest[name];
      delete rest[name];
    }
    if (data) this.data.value = JSON.stringify(data, null, 2);
    this.silent.checked = silent === true;
    this.extraMessage = rest;
  }

  /** What `read` throws for JSON that is not valid is shown at the field. */
  tryRead() {
    try {
      return this.read();
    } catch (error) {
      showErrors(this.form, [{ path: this.audience.mode === "json" && this.audience.safeRead() === null ? "audience" : "message.data", text: `not valid JSON: ${error.message}` }]);
      return null;
    }
  }

  changed() {
    if (!this.isBuilt) return;
    this.key = newKey();
    this.countLater();
    this.previewLater();
  }

  async count() {
    const task = this.tryRead();
    if (!task || this.signal.aborted) return;
    clearErrors(this.form);
    this.drawCurl(task);
    const hasTarget = task.audience || task.users?.length || task.devices?.length;
    if (!hasTarget) return this.showSize("–", "Choose an audience.");
    const number = this.counting = (this.counting ?? 0) + 1;
    try {
      const target = { audience: task.audience, users: task.users, devices: task.devices, platforms: task.platforms, message: { title: "x" } };
      const { devices } = await this.app.post("/tasks?dry_run=true", target, { signal: this.signal });
      if (number === this.counting) this.showSize(plural(devices, "device"), task.send_at || task.send_at_local ? "The audience is looked up again at the time." : "would get it now.");
    } catch (error) {
      if (error.name === "AbortError" || number !== this.counting) return;
      this.showSize("–", error.fields?.length ? "" : error.message);
      showErrors(this.form, error.fields ?? []);
    }
  }

  showSize(text, detail) {
    this.size.textContent = text;
    this.sizeDetail.textContent = detail;
  }

  async preview() {
    const task = this.tryRead();
    if (!task || this.signal.aborted) return;
    if (!task.message && !task.messages && !task.payloads) return this.previews.update({ previews: [], problems: [] });
    const { send_at, send_at_local, ...rest } = task;
    if (!rest.audience && !rest.users?.length && !rest.devices?.length) rest.audience = { all: true };
    const number = this.previewing = (this.previewing ?? 0) + 1;
    try {
      const answer = await this.app.post("/previews", rest, { signal: this.signal });
      if (number === this.previewing) this.previews.update(answer);
    } catch (error) {
      if (error.name === "AbortError" || number !== this.previewing) return;
      this.previews.update({ previews: [], problems: error.fields?.length ? error.fields.map(({ path, text }) => ({ path, message: text })) : [{ path: "", message: error.message }] });
    }
  }

  drawCurl(task) {
    const quoted = JSON.stringify(task, null, 2).replaceAll("'", "'\\''");
    this.curl.firstChild.textContent = [
      "curl --fail-with-body -H \"Authorization: Bearer $CARILLON_KEY\" \\",
      "  -H 'Content-Type: application/json' \\", `  -H 'Idempotency-Key: ${this.key}' \\`,
      `  ${location.origin}${this.app.path}/tasks -d '${quoted}'`,
    ].join("\n");
  }

  testRow() {
    const kind = select([["users", "User"], ["devices", "Device"]], "users", () => {}, { "aria-label": "Test with" });
    const input = h("input", { autocomplete: "off", spellcheck: "false", maxlength: "256", "aria-label": "Id of the user or device" });
    const result = h("p", { class: "fine", role: "status" });
    const send = button("Send test", () => busy(send, async () => {
      const id = input.value.trim();
      const task = this.tryRead();
      if (!id || !task) return input.focus();
      const { audience, users, devices, send_at, send_at_local, replaces, deliver_within, method, rate, ...rest } = task;
      const answer = await this.post({ ...rest, [kind.value]: [id] }, newKey());
      if (answer) replace(result, "Sent: ", h("a", { href: this.link(`task/${answer.id}`) }, "see what became of it"));
    }));
    return [h("div", { class: "line test" }, kind, input, send), result];
  }

  /** Null after an error, which the form shows. */
  async post(task, key) {
    replace(this.summary);
    clearErrors(this.form);
    try {
      return await this.app.post("/tasks", task, { headers: { "Idempotency-Key": key } });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      const rest = showErrors(this.form, error.fields ?? []);
      for (const details of this.form.querySelectorAll("details:not([open])")) {
        if (details.querySelector(".error:not([hidden])")) details.open = true;
      }
      replace(this.summary, h("p", { class: "error" }, error.fields?.length ? "The server found errors; see the fields." : error.message),
        rest.length ? h("ul", { class: "problems" }, rest.map(({ path, text }) => h("li", {}, h("code", {}, path), " ", text))) : null);
      this.form.querySelector("[aria-invalid]")?.focus();
      return null;
    }
  }

  async submit() {
    const task = this.tryRead();
    if (!task) return;
    const { key } = this;
    const when = task.send_at || task.send_at_local ? "Schedule" : "Send";
    const size = this.size.textContent;
    if (!await confirm(`${when} this push?`, size === "–" ? "The number of devices is not known." : `It is for ${size}.`, when, "primary")) return;
    const answer = await this.post(task, key);
    if (!answer) return;
    this.key = newKey();
    const ids = answer.tasks ?? [answer];
    notify(ids.length === 1 ? "Accepted." : `${count(ids.length)} tasks accepted.`);
    location.hash = ids.length === 1 && !task.send_at ? this.link(`task/${answer.id ?? ids[0].id}`) : this.link("scheduled");
  }
}
