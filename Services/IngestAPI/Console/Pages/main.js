// The frame around the pages: sign-in, navigation, keys, and the page that the address names.

import { App, currentSession, onSignedOut, readSession, setPageSignal, signIn, signOut } from "./api.js";
import { h, replace } from "./dom.js";
import { live } from "./live.js";
import {
	button, dialog, empty, facts, failure, field, forbidden, form, select, showErrors, textInput,
} from "./parts.js";
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

const GROUPS = {
	Send: [
		{ name: "now", title: "Now", key: "n", page: now },
		{ name: "compose", title: "Compose", key: "c", page: compose, scopes: ["publish", "broadcast"] },
		{ name: "scheduled", title: "Scheduled", key: "s", page: scheduled },
		{ name: "activities", title: "Live Activities", key: "l", page: activities },
	],
	People: [
		{ name: "audiences", title: "Audiences", key: "a", page: audiences },
		{ name: "devices", title: "Devices and users", key: "d", page: devices },
	],
	Operate: [
		{ name: "campaigns", title: "Campaigns", key: "m", page: campaigns },
		{ name: "pipeline", title: "Pipeline", key: "p", page: pipeline },
		{ name: "letters", title: "Dead letters", key: "x", page: letters, scopes: ["admin"] },
		{ name: "app", title: "App", key: "i", page: app },
	],
};
const TASK = { name: "task", title: "Task", page: task };

/** How long the key g waits for the one of a page. */
const G_MILLISECONDS = 1500;

const root = document.getElementById("root");
let leaving = new AbortController();
let main = null;
let chosenApp = null;

const isAllowed = ({ scopes = ["read"] }) => chosenApp.may(...scopes);
const allowedPages = () => Object.values(GROUPS).flat().filter(isAllowed);

/** The page's address: `#/NAME/ARGUMENT?app=APP`. */
function address() {
	const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
	const [name, argument] = path.split("/").map((part) => {
		try {
			return decodeURIComponent(part);
		} catch {
			return part;
		}
	});
	return { name, argument, query: new URLSearchParams(query) };
}

/** Says whether another app is chosen. */
function chooseApp(name) {
	const { apps } = currentSession();
	const named = (wanted) => apps.find(({ app }) => app === wanted);
	const found = named(name) ?? named(chosenApp?.name) ?? apps[0];
	if (chosenApp?.name === found.app) return false;
	chosenApp = new App(found);
	return true;
}

const logo = () => h("img", { src: "/console/icon.svg", alt: "", width: 32, height: 32 });

function showSignIn(reason) {
	leaving.abort();
	live.follow(null);
	document.title = "Sign in · Carillon";
	main = null;
	const input = textInput({ type: "password", name: "key", required: true, placeholder: "ck_…" });
	const submit = h("button.primary", "Sign in");
	const entry = form("form", submit, async () => {
		try {
			await signIn(input.value.trim());
			input.value = "";
			start();
		} catch (error) {
			showErrors(entry, [{ path: "key", text: error.message }]);
			input.select();
		}
	}, field("App key", input, "key"), submit);
	replace(root, h("main.sign-in", { id: "main", tabindex: -1 }, logo(), h("h1", "Carillon"),
		reason && h("p.banner.reason", { role: "status" }, reason), entry,
		h("p.fine", "The key begins a session of at most 12 hours. The page does not keep it.")));
	input.focus();
}

const state = h("span.live");

function showState() {
	state.className = `live ${live.state}`;
	replace(state, { open: "Live", connecting: "Connecting", off: "Not live" }[live.state]);
}

function drawFrame() {
	main = h("main", { id: "main", tabindex: -1 });
	replace(root, h("div.frame", h("header.side",
		h("a.brand", { href: chosenApp.link("now") }, logo(), "Carillon"),
		h("div.app-name", appChoice()), h("nav", { "aria-label": "Pages" }, navigation()),
		h("div.foot", state, button("Keys", showKeys, "quiet", { "aria-label": "Keyboard shortcuts" }),
			button("Sign out", async () => {
				await signOut();
				showSignIn("You signed out.");
			}, "quiet"))), main));
}

function appChoice() {
	const { apps } = currentSession();
	if (apps.length < 2) return h("bdi", chosenApp.name);
	return select(apps.map(({ app }) => [app, app]), chosenApp.name, (event) => {
		const { name } = address();
		chooseApp(event.target.value);
		drawFrame();
		location.hash = chosenApp.link(name === "task" ? "now" : name);
	}, { "aria-label": "App" });
}

const navigation = () => Object.entries(GROUPS).map(([group, pages]) => pages.some(isAllowed) &&
	h("ul", { "aria-label": group }, pages.filter(isAllowed).map(({ name, title, key }) => h("li",
		h("a", { href: chosenApp.link(name), "data-page": name, "aria-keyshortcuts": `g ${key}` }, title)))));

function start() {
	chosenApp = null;
	if (currentSession().apps.length) show(true);
	else replace(root, empty("No app", "This key has no app that the console can show."));
}

function show(isFirst) {
	if (!currentSession()?.apps.length) return;
	const { name, argument, query } = address();
	if (chooseApp(query.get("app"))) drawFrame();
	const pages = [...Object.values(GROUPS).flat(), TASK];
	const found = name ? pages.find((one) => one.name === name) : allowedPages()[0];
	leaving.abort();
	leaving = new AbortController();
	setPageSignal(leaving.signal);
	for (const one of root.querySelectorAll("nav a")) {
		one.ariaCurrent = one.dataset.page === (found === TASK ? "now" : found?.name) ? "page" : "false";
	}
	const title = h("h1", { tabindex: -1 }, found?.title ?? "Not found");
	const body = h("div");
	const tools = h("div.tools");
	replace(main, h("div.title", title, tools), body);
	document.title = `${title.textContent} · ${chosenApp.name} · Carillon`;
	live.follow(chosenApp.may("read") ? chosenApp : null, found === TASK ? argument : null);
	if (!isFirst) {
		title.focus({ preventScroll: true });
		scrollTo(0, 0);
	}
	if (!found) return body.append(empty("Not found", "There is no such page."));
	if (!isAllowed(found)) return body.append(forbidden(found.scopes ?? ["read"]));
	found.page.show({ app: chosenApp, argument, query, title, tools, body, signal: leaving.signal });
}

function showKeys() {
	const rows = [...allowedPages().map(({ key, title }) => [`g ${key}`, title]), ["/", "The page's first field"],
		["?", "These keys"], ["Escape", "Closes a dialog"]];
	dialog("Keyboard shortcuts", (close) => [
		facts(rows.map(([keys, text]) => [keys.split(" ").map((key) => h("kbd", key)), text])),
		h("div.actions", button("Close", close, "", { autofocus: true }))]);
}

let timeOfG = -Infinity;

function pressed(event) {
	if (!main || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
	if (event.target.closest("input, textarea, select")) return;
	const isAfterG = event.timeStamp - timeOfG < G_MILLISECONDS;
	const target = isAfterG && allowedPages().find((one) => one.key === event.key);
	timeOfG = event.key === "g" ? event.timeStamp : -Infinity;
	if (target) location.hash = chosenApp.link(target.name);
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
live.addEventListener("state", showState);
showState();
onSignedOut(showSignIn);

async function begin() {
	try {
		if (await readSession()) start();
		else showSignIn();
	} catch (error) {
		replace(root, h("main.sign-in", { id: "main" }, h("h1", "Carillon"), failure(error, begin)));
	}
}

begin();
