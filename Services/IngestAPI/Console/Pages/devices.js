// Finds devices by id, user or token; shows their record, topics and last tasks; removes them.

import { enc } from "./api.js";
import { h, replace } from "./dom.js";
import { nameOf, plural, relative } from "./format.js";
import { badge, busy, button, card, code, confirm, empty, facts, field, load, moment, notify, select,
  table } from "./parts.js";

const DEVICE_ID = /^[A-Za-z0-9_-]{11}$/;

export function show(context) {
  const { argument, query, body, link } = context;
  const kind = select([["device", "Device id"], ["user", "User"]], query.get("user") ? "user" : "device", () => {});
  const input = h("input", { value: argument ?? query.get("user") ?? "", maxlength: "256", autocomplete: "off",
    spellcheck: "false", required: true });
  const form = h("form.row.card", { role: "search", onsubmit: (event) => {
    event.preventDefault();
    const value = input.value.trim();
    const isDevice = kind.value === "device" && DEVICE_ID.test(value);
    location.hash = isDevice ? link(`devices/${enc(value)}`) : link("devices", { user: value });
  } }, field("Find by", kind), field("Value", input, { hint: "A value that is no device id is taken as a user." }),
    h("button.primary", "Find"));
  const result = h("div");
  body.append(form, result);
  if (argument) showDevice(context, argument, result);
  else if (query.get("user")) showUser(context, query.get("user"), result);
  else result.append(empty("No device chosen", "Enter the id of a device, or a user as your backend names it."));
}

function showDevice({ app, link }, id, element) {
  const path = `/devices/${enc(id)}`;
  load(element, () => app.get(path), (device) => {
    const tasks = h("div");
    load(tasks, () => app.get(`${path}/tasks`), (answer) => answer.tasks.length ?
      table("Last tasks", ["Task", "Begins", "State", "Why"], answer.tasks.map((one) => [
        h("a", { href: link(`task/${one.task}`, { device: id }) }, h("code", one.task.slice(0, 8))),
          h("span", { title: one.begins }, relative(one.begins)),
        badge(nameOf(one.state), one.state), h("span", one.why, one.reason ? h("span.fine", " ", one.reason) :
          null)])) :
      h("p.none", "No task of the last days was for this device."));
    return h("div.columns.even", card("Record", drawRecord(device, link), app.may(["register"]) ?
      removal(app, path, element) : null),
      h("div", card("Topics", drawTopics(device.topics)), card("Last tasks", tasks)));
  });
}

function removal(app, path, element) {
  const remove = button("Remove device", async () => {
    if (!await confirm("Remove this device?", "Its subscriptions end. The app can register it again.",
      "Remove")) return;
    busy(remove, async () => {
      await app.remove(path);
      notify("The device is removed.");
      replace(element, empty("Removed", "The device is no longer registered."));
    });
  }, "danger");
  return remove;
}

function drawRecord(device, link) {
  const isLong = device.token.length > 24;
  return facts([
    ["Id", h("code", device.id)], ["Platform", `${nameOf(device.platform)}, ${nameOf(device.protocol)}`],
      ["Environment", device.environment],
    device.user && ["User", h("a", { href: link("devices", { user: device.user }) }, h("bdi", device.user))],
    ["Token", h("code.whole", { title: device.token }, isLong ? `${device.token.slice(0, 20)}…` : device.token)],
    device.language && ["Language", device.language], device.time_zone && ["Time zone", device.time_zone],
    device.app_version && ["App version", device.app_version], device.system_version &&
      ["System version", device.system_version],
    device.badge !== undefined && ["Badge", String(device.badge)],
    ...Object.entries(device.identifiers ?? {}).map(([name, value]) =>
      [name, h("code.whole", typeof value === "string" ? value : JSON.stringify(value))]),
    ["Registered", moment(device.registered)], ["Changed", moment(device.updated)],
  ]);
}

function drawTopics(topics) {
  return topics.length ? h("ul.chips", topics.map(({ name, silent }) => h("li.label", h("bdi", name), silent ?
    " (silent)" : ""))) :
    h("p.none", "No subscriptions.");
}

function showUser({ app, link }, user, element) {
  load(element, () => app.get(`/users/${enc(user)}/devices`), ({ devices }) => [
    card(h("span", "User ", h("bdi", user)), devices.length ?
      table("Devices of the user", ["Device", "Platform", "Language", "Changed"], devices.map((one) => [
      h("a", { href: link(`devices/${one.id}`) }, h("code", one.id)), nameOf(one.platform), one.language ?? "–",
        relative(one.updated)])) :
      empty("No devices", "The user has no device in this app."), devices.length && app.may(["admin"]) ?
        userRemoval(app, user, element) : null)]);
}

function userRemoval(app, user, element) {
  const remove = button("Remove user", async () => {
    if (!await confirm("Remove all data of this user?",
      "Removes the user's devices and cancels scheduled tasks that are for this user only.", "Remove")) return;
    busy(remove, async () => {
      const answer = await app.remove(`/users/${enc(user)}`);
      replace(element, card("Removed",
        h("p", `${plural(answer.devices_removed, "device")} removed, ${plural(answer.tasks_cancelled, "task")} cancelled. `, answer.detail ?? ""),
        h("details", h("summary", "What stays"), code(JSON.stringify(answer.stays, null, 2)))));
    });
  }, "danger");
  return remove;
}
