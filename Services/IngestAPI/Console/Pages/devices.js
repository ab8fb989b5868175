// Finds devices by id or user; shows their record, topics and last tasks; removes them.

import { enc } from "./api.js";
import { h, replace } from "./dom.js";
import { nameOf, plural } from "./format.js";
import {
	ago, badge, button, card, code, details, deviceLink, empty, entries, facts, field, form, load, loaded, none, select,
	table, taskLink, textInput,
} from "./parts.js";

export function show({ app, argument, query, body }) {
	const user = query.get("user");
	const kind = select([["device", "Device id"], ["user", "User"]], user ? "user" : "device");
	const input = textInput({ value: argument ?? user ?? "", required: true });
	const find = h("button.primary", "Find");
	const result = h("div");
	body.append(form("form.row.card", find, () => {
		const value = input.value.trim();
		location.hash = kind.value === "device" ? app.link(`devices/${enc(value)}`) : app.link("devices", { user: value });
	}, field("Find by", kind), field("Value", input), find), result);
	if (argument) showDevice(app, `/devices/${enc(argument)}`, result);
	else if (user) showUser(app, user, result);
	else result.append(empty("No device chosen", "Enter the id of a device or of a user."));
}

function showDevice(app, path, element) {
	const remove = button("Remove device", async () => {
		await app.remove(path);
		replace(element, empty("Removed", "The device is no longer registered."));
	}, "danger", { ask: ["Remove this device?", "Its subscriptions end. The app can register it again.", "Remove"] });
	load(element, () => app.get(path), (device) => h("div.columns.even",
		card("Record", drawRecord(app, device), app.may("register") && remove),
		h("div", card("Topics", drawTopics(device.topics)), card("Last tasks", lastTasks(app, path, device.id)))));
}

const lastTasks = (app, path, id) => loaded(() => app.get(`${path}/tasks`), ({ tasks }) =>
	table("Last tasks", ["Task", "Begins", "State", "Why"], tasks.map((one) => [
		taskLink(app, one.task, { device: id }), ago(one.begins), badge(nameOf(one.state), one.state),
		[one.why, one.reason && h("span.fine", " ", one.reason)]]), none("No task of the last days was for this device.")));

function drawRecord(app, device) {
	const { id, platform, protocol, token, user, topics, identifiers, ...rest } = device;
	return facts([
		["Id", h("code", id)], ["Platform", `${nameOf(platform)}, ${nameOf(protocol)}`],
		user && ["User", h("a", { href: app.link("devices", { user }) }, h("bdi", user))],
		["Token", h("code", token)], ...entries(identifiers), ...entries(rest),
	]);
}

const drawTopics = (topics) => topics.length ? h("ul.text", topics.map(({ name, silent }) =>
	h("li.label", h("bdi", name), silent && " (silent)"))) : none("No subscriptions.");

function showUser(app, user, element) {
	const path = `/users/${enc(user)}`;
	const remove = button("Remove user", async () => {
		const answer = await app.remove(path);
		replace(element, card("Removed", h("p", `${plural(answer.devices_removed, "device")} removed, `,
			`${plural(answer.tasks_cancelled, "task")} cancelled. `, answer.detail),
		details("What stays", code(answer.stays))));
	}, "danger", { ask: ["Remove all data of this user?",
		"Removes the user's devices and cancels scheduled tasks that are for this user only.", "Remove"] });
	load(element, () => app.get(`${path}/devices`), ({ devices }) => card(["User ", h("bdi", user)],
		table("Devices of the user", ["Device", "Platform", "Language", "Changed"], devices.map((one) => [
			deviceLink(app, one.id), nameOf(one.platform), one.language ?? "–", ago(one.updated)]),
		empty("No devices", "The user has no device in this app.")), devices.length > 0 && app.may("admin") && remove));
}
