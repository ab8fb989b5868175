// The app as its file configures it.

import { currentSession } from "./api.js";
import { h } from "./dom.js";
import { nameOf } from "./format.js";
import { badge, card, empty, entries, facts, load, moment, none, tableCard } from "./parts.js";

export function show({ app, body }) {
	load(body, () => app.get("/app"), ({ app: name, identifiers, limits, quiet_hours, providers, keys, ...rest }) => [
		h("div.columns.even", card("App", facts([["Name", h("bdi", name)], ...entries(identifiers), ...entries(rest),
			["Your key", h("code", currentSession().key)], ["Its scopes", app.scopes.join(", ")],
			["Session ends", moment(currentSession().ends)]])),
		card("Limits", factsOf(limits, "No limits of its own."), h("h3", "Quiet hours"), factsOf(quiet_hours, "None."))),
		tableCard("Providers", ["Provider", "Platform", "Settings", "State"], providers.map((one) => [
			nameOf(one.provider), nameOf(one.platform),
			entries(one.settings).map(([setting, value]) => h("span.label", `${setting}: `, value)),
			badge(one.state)]), empty("No providers", "The app file names none.")),
		keys && tableCard("Keys", ["Id", "Scopes", "Public", "Created", "Expires"], keys.map((one) => [
			h("code", one.id), one.scopes.join(", "), one.public ? "yes" : "no", moment(one.created),
			one.expires ? moment(one.expires) : "never"])),
	]);
}

const factsOf = (object, text) => entries(object).length ? facts(entries(object)) : none(text);
