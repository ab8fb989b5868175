// Live Activities: the list, one with its state and phones, and its end.

import { enc } from "./api.js";
import { h } from "./dom.js";
import { relative } from "./format.js";
import { badge, busy, button, card, code, confirm, empty, facts, load, moment, notify, table } from "./parts.js";

export function show(context) {
  const { argument, body } = context;
  const element = h("div");
  body.append(element);
  if (argument) showOne(context, element);
  else readPage(context, element, null);
}

function readPage(context, element, before) {
  const { app, link } = context;
  load(element, () => app.get(`/activities?limit=50${before ? `&before=${enc(before)}` : ""}`),
    ({ activities, next }) =>
    activities.length ? card("Newest first", table("Live Activities", ["Activity", "Type", "State", "Begun",
      "Changed"], activities.map((one) => [
      h("a", { href: link(`activities/${enc(one.id)}`) }, h("bdi", one.id)), one.type ?? "started by the app",
        badge(one.state), relative(one.begun), relative(one.changed)])),
    next ? button("Next page", () => readPage(context, element, next)) : null) :
      empty("No Live Activities", "An activity appears here when your backend starts it, or a phone reports its token."));
}

function showOne(context, element) {
  const { app, argument, link, tools } = context;
  const path = `/activities/${enc(argument)}`;
  const read = () => load(element, () => app.get(path), (activity) => {
    const devices = h("div");
    load(devices, () => app.get(`${path}/devices?limit=50`), (page) => drawDevices(page, link));
    tools.replaceChildren();
    if (activity.state !== "ended" && app.may(["publish", "broadcast"])) tools.append(endButton(app, path, read));
    return h("div.columns.even", h("div", card("Activity", facts([
      ["Id", h("bdi", activity.id)], ["Type", activity.type ?? "started by the app"], ["State", badge(activity.state)],
        ["Updates", activity.updates],
      ["Begun", moment(activity.begun)], ["Changed", moment(activity.changed)], activity.ended &&
        ["Ended", moment(activity.ended)],
      activity.stale_date && ["Stale", moment(activity.stale_date)],
        ["Urgent states this hour", String(activity.urgent_this_hour)]])), card("Phones", devices)),
    h("div", card("Newest state", activity.content_state ? code(JSON.stringify(activity.content_state, null, 2)) :
      h("p.none", "None yet.")),
      card("Last tasks", activity.publications.length ? h("ul.plain", activity.publications.map((one) => h("li", {},
        h("a", { href: link(`task/${one.task}`) }, h("code", one.task.slice(0, 8))), ` ${one.priority}`))) :
          h("p.none", "None."))));
  });
  read();
}

function drawDevices({ devices }, link) {
  return devices.length ? table("Phones of the activity", ["Device", "Token", "Environment", "Last state"],
    devices.map((one) => [
    one.device ? h("a", { href: link(`devices/${one.device}`) }, h("code", one.device)) : one.protocol,
    h("code", `${one.token.slice(0, 12)}…`), one.environment, one.last?.state ?? "–"])) :
      h("p.none", "No phone shows it.");
}

function endButton(app, path, again) {
  const end = button("End activity", async () => {
    if (!await confirm("End this activity?", "Phones get its newest state as the last one.", "End")) return;
    busy(end, async () => {
      await app.post(`${path}/end`, {});
      notify("The activity is ending.");
      again();
    });
  }, "danger");
  return end;
}
