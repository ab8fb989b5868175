// Live Activities: the list, one with its state and phones, and its end.

import { enc } from "./api.js";
import { h } from "./dom.js";
import {
	ago, badge, button, card, code, deviceLink, empty, facts, load, loadPages, loaded, moment, none, notify, table,
	taskLink,
} from "./parts.js";

const typeOf = (activity) => activity.type ?? "started by the app";

export function show(context) {
	const { app, argument, body } = context;
	if (argument) return showOne(context, `/activities/${enc(argument)}`);
	loadPages(body, app, "/activities?limit=50", ({ activities }) => activities.length ? card("Newest first",
		table("Live Activities", ["Activity", "Type", "State", "Begun", "Changed"], activities.map((one) => [
			h("a", { href: app.link(`activities/${enc(one.id)}`) }, h("bdi", one.id)), typeOf(one), badge(one.state),
			ago(one.begun), ago(one.changed)]))) :
		empty("No Live Activities", "An activity appears here when your backend starts it, or a phone reports its token."));
}

function showOne({ app, argument, body, tools }, path) {
	const read = () => load(body, () => app.get(path), (activity) => {
		const end = button("End activity", async () => {
			await app.post(`${path}/end`, {});
			notify("The activity is ending.");
			read();
		}, "danger", { ask: ["End this activity?", "Phones get its newest state as the last one.", "End"] });
		tools.replaceChildren();
		if (activity.state !== "ended" && app.may("publish", "broadcast")) tools.append(end);
		return h("div.columns.even", h("div", card("Activity", drawFacts(activity)), card("Phones", phones(app, path))),
			h("div", card("Newest state", activity.content_state ? code(activity.content_state) : none("None yet.")),
				card("Last tasks", activity.publications.length ? h("ul.plain", activity.publications.map((one) =>
					h("li", taskLink(app, one.task), ` ${one.priority}`))) : none("None."))));
	});
	read();
}

const drawFacts = (activity) => facts([
	["Id", h("bdi", activity.id)], ["Type", typeOf(activity)], ["State", badge(activity.state)],
	["Updates", activity.updates], ["Begun", moment(activity.begun)], ["Changed", moment(activity.changed)],
	activity.ended && ["Ended", moment(activity.ended)], activity.stale_date && ["Stale", moment(activity.stale_date)],
	["Urgent states this hour", activity.urgent_this_hour],
]);

const phones = (app, path) => loaded(() => app.get(`${path}/devices?limit=50`), ({ devices }) =>
	table("Phones of the activity", ["Device", "Token", "Environment", "Last state"], devices.map((one) => [
		one.device ? deviceLink(app, one.device) : one.protocol, h("code", `${one.token.slice(0, 12)}…`), one.environment,
		one.last?.state ?? "–"]), none("No phone shows it.")));
