// The frame around the pages: sign-in, navigation, keys, and the page that the address names.

import { App, currentSession, onSignedOut, readSession, setPageSignal, signIn, signOut } from "./api.js";
import { h, replace } from "./dom.js";
import { live } from "./live.js";
import { busy, button, clearErrors, dialog, empty, failure, field, forbidden, select } from "./parts.js";
import * as activities from "./activities.js";
import * as app from "./app.js";
import * as audiences from "./audiences.js";
import * as campaigns from "./campaigns.js";
import * as compose from "./compose.js";
import * as devices from "./devices.js";
import * as letters from "./letters.js";
import * as now from "./now.js";
import * as pipeline from "./pipeline.js";
import * as scheduled from "./scheduled.js";
import * as task from "./task.js";

const READ = ["read"];
const PUBLISH = ["publish", "broadcast"];

const PAGES = [
  { name: "now", title: "Now", key: "n", scopes: READ, page: now, group: "Send" },
  { name: "compose", title: "Compose", key: "c", scopes: PUBLISH, page: compose, group: "Send" },
  { name: "scheduled", title: "Scheduled", key: "s", scopes: READ, page: scheduled, group: "Send" },
  { name: "activities", title: "Live Activities", key: "l", scopes: READ, page: activities, group: "Send" },
  { name: "audiences", title: "Audiences", key: "a", scopes: READ, page: audiences, group: "People" },
  { name: "devices", title: "Devices and users", key: "d", scopes: READ, page: devices, group: "People" },
  { name: "campaigns", title: "Campaigns", key: "m", scopes: READ, page: campaigns, group: "Operate" },
  { name: "pipeline", title: "Pipeline", key: "p", scopes: READ, page: pipeline, group: "Operate" },
  { name: "letters", title: "Dead letters", key: "x", scopes: ["admin"], page: letters, group: "Operate" },
  { name: "app", title: "App", key: "i", scopes: READ, page: app, group: "Operate" },
  { name: "task", title: "Task", scopes: READ, page: task },
];

const root = document.getElementById("root");
let leaving = new AbortController();
let main = null;
let links = [];
let chosenApp = null;

/** The page's address: `#/NAME/ARGUMENT?app=APP`. */
function address() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, ...rest] = path.split("/").map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  return { name: name || null, argument: rest[0] ?? null, query: new URLSearchParams(query) };
}

const isOneApp = () => currentSession().apps.length < 2;
const link = (path, query = {}) => {
  const all = new URLSearchParams({ ...query, ...(isOneApp() ? {} : { app: chosenApp.name }) }).toString();
  return `#/${path}${all ? `?${all}` : ""}`;
};

function chooseApp(name) {
  const apps = currentSession().apps;
  const found = apps.find((one) => one.app === name) ?? apps.find((one) => one.app === chosenApp?.name) ?? apps[0];
  if (chosenApp?.name !== found.app) chosenApp = new App(found);
}

function showSignIn(reason) {
  leaving.abort();
  live.follow(null);
  document.title = "Sign in · Carillon";
  main = null;
  const input = h("input", {
    type: "password", name: "key", required: true, autocomplete: "off", spellcheck: "false", placeholder: "ck_…",
  });
  const entry = field("App key", input, { path: "key" });
  const submit = h("button.primary", "Sign in");
  const error = entry.querySelector(".error");
  const form = h("form", {
    onsubmit: async (event) => {
      event.preventDefault();
      clearErrors(form);
      submit.disabled = true;
      const key = input.value.trim();
      try {
        await signIn(key);
        input.value = "";
        start();
      } catch (problem) {
        error.textContent = problem.status === 429 ? `${problem.message} Try again in ${problem.retryAfter ?? 60} s.` :
          problem.message;
        error.hidden = false;
        input.setAttribute("aria-invalid", "true");
        input.select();
      } finally {
        submit.disabled = false;
      }
    },
  }, entry, submit);
  replace(root, h("main", { id: "main", class: "sign-in", tabindex: "-1" },
    h("img", { src: "/console/icon.svg", alt: "", width: "48", height: "48" }), h("h1", "Carillon"),
    reason ? h("p.reason", { role: "status" }, reason) : h("p", "Sign in with a key of your app. "),
    form, h("p.hint", "The key is exchanged for a session of at most 12 hours. The page does not keep it.")));
  input.focus();
}

function drawFrame() {
  links = PAGES.filter((one) => one.group);
  main = h("main", { id: "main", tabindex: "-1" });
  const state = h("span.live.off");
  const showState = () => {
    state.className = `live ${live.state}`;
    state.textContent = { open: "Live", connecting: "Connecting", off: "Not live" }[live.state];
  };
  live.addEventListener("state", showState, { signal: frame.signal });
  showState();
  replace(root, h("div.frame", h("header", { class: "side" },
    h("a.brand", { href: link("now") }, h("img", { src: "/console/icon.svg", alt: "", width: "28", height: "28" }),
      "Carillon"),
    appChoice(), h("nav", { "aria-label": "Pages" }, navigation()),
    h("div.foot", state, button("Keys", showKeys, "quiet", { "aria-label": "Keyboard shortcuts" }),
      button("Sign out", (event) => busy(event.currentTarget, async () => {
        await signOut();
        showSignIn("You signed out.");
      }), "quiet"))), main));
}

function appChoice() {
  const apps = currentSession().apps;
  if (apps.length < 2) return h("p.app-name", h("bdi", apps[0].app));
  return h("div.app-name", select(apps.map(({ app }) => [app, app]), chosenApp.name, (event) => {
    chooseApp(event.target.value);
    location.hash = link(address().name === "task" ? "now" : address().name ?? "now");
  }, { "aria-label": "App" }));
}

function navigation() {
  const visible = links.filter((one) => chosenApp.may(one.scopes));
  return ["Send", "People", "Operate"].map((group) => {
    const own = visible.filter((one) => one.group === group);
    return own.length ? h("ul", { "aria-label": group }, own.map((one) => h("li", h("a", {
      href: link(one.name), "data-page": one.name, "aria-keyshortcuts": `g ${one.key}`,
    }, one.title)))) : null;
  });
}

let frame = new AbortController();

function start() {
  frame.abort();
  frame = new AbortController();
  if (!currentSession().apps.length) return replace(root,
    empty("No app", "This key has no app that the console can show."));
  chosenApp = null;
  chooseApp(address().query.get("app"));
  drawFrame();
  show(true);
}

function show(isFirst = false) {
  if (!currentSession() || !main) return;
  const { name, argument, query } = address();
  const before = chosenApp;
  chooseApp(query.get("app"));
  if (before !== chosenApp) {
    frame.abort();
    frame = new AbortController();
    drawFrame();
  }
  const first = links.find((one) => chosenApp.may(one.scopes));
  const found = name ? PAGES.find((one) => one.name === name) : first;
  leaving.abort();
  leaving = new AbortController();
  setPageSignal(leaving.signal);
  mark(found?.name === "task" ? "now" : found?.name);
  const title = h("h1", { tabindex: "-1" }, found?.title ?? "Not found");
  const body = h("div.body");
  const tools = h("div.tools");
  replace(main, h("div.title", title, tools), body);
  document.title = `${title.textContent} · ${chosenApp.name} · Carillon`;
  live.follow(chosenApp.may(READ) ? chosenApp : null, found?.name === "task" ? argument : null);
  if (!isFirst) {
    title.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
  if (!found) return body.append(empty("Not found", "There is no such page."));
  if (!chosenApp.may(found.scopes)) return body.append(forbidden(found.scopes));
  found.page.show({ app: chosenApp, argument, query, title, tools, body, signal: leaving.signal, link,
    session: currentSession() });
}

function mark(name) {
  for (const one of root.querySelectorAll("nav a")) {
    if (one.dataset.page === name) one.setAttribute("aria-current", "page");
    else one.removeAttribute("aria-current");
  }
}

function showKeys() {
  const rows = links.filter((one) => chosenApp.may(one.scopes)).map((one) => [["g", one.key], one.title]);
  rows.push([["/"], "The page's first field"], [["?"], "These keys"], [["Escape"], "Closes a dialog"]);
  dialog("Keyboard shortcuts", (close) => h("div", h("dl.keys", rows.map(([keys, text]) => h("div", {},
    h("dt", keys.map((key) => h("kbd", key))), h("dd", text)))), h("div", { class: "actions" },
    button("Close", close, "", { autofocus: true }))));
}

let isAfterG = false;
let timer = 0;

function pressed(event) {
  if (!main || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  const target = isAfterG && links.find((one) => one.key === event.key && chosenApp.may(one.scopes));
  clearTimeout(timer);
  isAfterG = event.key === "g" && !target;
  if (isAfterG) timer = setTimeout(() => { isAfterG = false; }, 1500);
  if (target) location.hash = link(target.name);
  else if (event.key === "?") showKeys();
  else if (event.key === "/") {
    event.preventDefault();
    main.querySelector("input, textarea, select")?.focus();
  }
}

document.querySelector(".skip").addEventListener("click", (event) => {
  // The address names the page, so the link must not change it.
  event.preventDefault();
  document.getElementById("main")?.focus();
});
addEventListener("keydown", pressed);
addEventListener("hashchange", () => show());
onSignedOut((reason) => {
  showSignIn(reason);
});

async function begin() {
  try {
    if (await readSession()) start();
    else showSignIn();
  } catch (error) {
    replace(root, h("main", { id: "main", class: "sign-in" }, h("h1", "Carillon"), failure(error, begin)));
  }
}

begin();
