// The app as its file configures it.

import { currentSession } from "./api.js";
import { h } from "./dom.js";
import { nameOf } from "./format.js";
import { badge, card, empty, facts, load, moment, none, table } from "./parts.js";

export function show({ app, body }) {
	load(body, () => app.get("/app"), (value) => [
		h("div.columns.even", card("App", facts([
			["Name", h("bdi", value.app)], ...entries(value.identifiers),
			["Default language", value.default_language], ["Default address", value.default_navigate],
			["Default time to live", value.default_time_to_live], ["Reports go to", value.report ?? "nowhere"],
			["Webhook", value.webhook ?? "none"], ["Your key", h("code", currentSession().key)],
			["Its scopes", app.scopes.join(", ")], ["Session ends", moment(currentSession().ends)],
		])), card("Limits", factsOf(value.limits, "No limits of its own."), h("h3", "Quiet hours"),
			factsOf(value.quiet_hours, "None."))),
		card("Providers", table("Providers", ["Provider", "Platform", "Settings", "State"], value.providers.map((one) => [
			nameOf(one.provider), nameOf(one.platform),
			entries(one.settings).map(([name, setting]) => h("span.label", `${name}: ${setting}`)),
			badge(one.state)]), empty("No providers", "The app file names none."))),
		value.keys && card("Keys", table("Keys", ["Id", "Scopes", "Public", "Created", "Expires"], value.keys.map((one) => [
			h("code", one.id), one.scopes.join(", "), one.public ? "yes" : "no", moment(one.created),
			one.expires ? moment(one.expires) : "never"]))),
	]);
}

/** The members of an object that are not null, with texts for values. */
const entries = (object) => Object.entries(object ?? {}).filter(([, value]) => value !== null).map(([name, value]) =>
	[name.replaceAll("_", " "), Array.isArray(value) ? value.join(", ") || "–" :
		typeof value === "object" ? JSON.stringify(value) : value]);

const factsOf = (object, text) => entries(object).length ? facts(entries(object)) : none(text);
