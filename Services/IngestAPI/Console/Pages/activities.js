// Live Activities: the list, one with its state and phones, and its end.

import { enc } from "./api.js";
import { h } from "./dom.js";
import {
	ago, badge, button, card, code, deviceLink, empty, entries, facts, load, loadPages, loaded, none, notify, table,
	tableCard, taskLink,
} from "./parts.js";

const typeOf = (activity) => activity.type ?? "started by the app";

export function show(context) {
	const { app, argument, body } = context;
	if (argument) return showOne(context, `/activities/${enc(argument)}`);
	loadPages(body, app, "/activities?limit=50", ({ activities }) => tableCard(
		"Newest first", ["Activity", "Type", "State", "Begun", "Changed"], activities.map((one) => [
			h("a", { href: app.link(`activities/${enc(one.id)}`) }, h("bdi", one.id)), typeOf(one), badge(one.state),
			ago(one.begun), ago(one.changed)]),
		empty("No Live Activities", "Your backend or an app starts one.")));
}

function showOne({ app, argument, body, tools }, path) {
	const end = button("End activity", async () => {
		await app.post(`${path}/end`, {});
		notify("The activity is ending.");
		read();
	}, "danger", { ask: ["End this activity?", "Phones get its newest state as the last one.", "End"] });
	const read = () => load(body, () => app.get(path), (activity) => {
		const { id, type, state, content_state: newest, publications, ...rest } = activity;
		tools.replaceChildren(...state !== "ended" && app.may("publish", "broadcast") ? [end] : []);
		return h("div.columns.even", h("div",
			card("Activity", facts([["Id", h("bdi", id)], ["Type", typeOf(activity)], ["State", badge(state)],
				...entries(rest)])), card("Phones", phones(app, path))),
		h("div", card("Newest state", newest ? code(newest) : none("None yet.")), card("Last tasks", publications.length ?
			h("ul.plain", publications.map((one) => h("li", taskLink(app, one.task), ` ${one.priority}`))) :
			none("None."))));
	});
	read();
}

const phones = (app, path) => loaded(() => app.get(`${path}/devices?limit=50`), ({ devices }) =>
	table("Phones of the activity", ["Device", "Token", "Environment", "Last state"], devices.map((one) => [
		one.device ? deviceLink(app, one.device) : one.protocol, h("code", `${one.token.slice(0, 12)}…`), one.environment,
		one.last?.state ?? "–"]), none("No phone shows it.")));
