// The app as its file configures it.

import { h } from "./dom.js";
import { nameOf } from "./format.js";
import { badge, card, empty, facts, load, moment, table } from "./parts.js";

export function show({ app, body, session }) {
  const element = h("div");
  body.append(element);
  load(element, () => app.get("/app"), (value) => [h("div", { class: "columns even" },
    card("App", facts([["Name", h("bdi", value.app)], ...Object.entries(value.identifiers ?? {}).map(([name, ids]) =>
      [name, shown(ids)]),
      ["Default language", shown(value.default_language)], ["Default address", shown(value.default_navigate)],
      ["Default time to live", shown(value.default_time_to_live)], ["Reports go to", value.report ?? "nowhere"],
      ["Webhook", value.webhook ?? "none"], ["Your key", h("code", session.key)], ["Its scopes", [...app.scopes].join(", ")],
        ["Session ends", moment(session.ends)]])),
    card("Limits", entriesOf(value.limits, "No limits of its own."), h("h3", "Quiet hours"),
      entriesOf(value.quiet_hours, "None."))),
  card("Providers", value.providers.length ? table("Providers", ["Provider", "Platform", "Settings", "State"],
    value.providers.map((one) => [nameOf(one.provider), nameOf(one.platform),
    h("span", Object.entries(one.settings ?? {}).map(([name, setting]) =>
      h("span.label", `${name}: ${shown(setting)}`))),
    badge(one.state === "ok" ? "ok" : "outage", one.state)])) : empty("No providers", "The app file names none.")),
  value.keys ? card("Keys", table("Keys", ["Id", "Scopes", "Public", "Created", "Expires"],
    value.keys.map((one) => [h("code", one.id), one.scopes.join(", "),
    one.public ? "yes" : "no", moment(one.created), one.expires ? moment(one.expires) : "never"]))) : null]);
}

function shown(value) {
  if (value === null || value === undefined) return "–";
  if (Array.isArray(value)) return value.map(shown).join(", ") || "–";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const entriesOf = (value, none) => Object.values(value ?? {}).some((one) => one !== null) ?
  facts(Object.entries(value).filter(([, one]) => one !== null).map(([name, one]) => [name.replaceAll("_", " "), shown(one)])) : h("p.none", none);
