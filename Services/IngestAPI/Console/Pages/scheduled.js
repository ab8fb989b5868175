// Tasks that wait for their time.

import { enc } from "./api.js";
import { h, replace } from "./dom.js";
import { fullTime, relative } from "./format.js";
import { busy, button, card, confirm, empty, labelTexts, load, notify, table } from "./parts.js";

const PAGE_TASKS = 50;

export function show(context) {
  const list = h("div");
  context.body.append(list);
  readPage(context, list, null);
}

function readPage({ app, link }, list, before) {
  const path = `/tasks?state=scheduled&limit=${PAGE_TASKS}${before ? `&before=${enc(before)}` : ""}`;
  const draw = ({ tasks, next }) => {
    if (!tasks.length && !before) return empty("Nothing is scheduled", "Tasks with a time appear here until they are sent.");
    // A cancelled task stays on the server's list for a moment.
    const without = (task) => replace(list, draw({ tasks: tasks.filter((one) => one !== task), next }));
    return card("Next first", table("Scheduled tasks", ["Task", "Time", "Labels", ""], tasks.map((one) => [
      h("a", { href: link(`task/${one.id}`) }, h("code", one.id.slice(0, 8))), whenOf(one),
      h("span", labelTexts(one.labels)),
      app.may(["publish", "broadcast", "admin"]) ? cancelButton(app, one, () => without(one)) : ""])),
    next ? button("Next page", () => readPage({ app, link }, list, next)) : null);
  };
  load(list, () => app.get(path), draw);
}

function whenOf(task) {
  if (task.send_at) return h("time", { datetime: task.send_at }, fullTime(task.send_at), " ",
    h("span.fine", relative(task.send_at)));
  if (task.send_at_local) return `${task.send_at_local.replace("T", " ")}, each device's own time`;
  return task.window ? h("span", "until ", fullTime(task.window.ends)) : "–";
}

function cancelButton(app, task, done) {
  const cancel = button("Cancel", async () => {
    if (!await confirm("Cancel this task?", "It will not be sent.", "Cancel task")) return;
    busy(cancel, async () => {
      await app.post(`/tasks/${task.id}/cancel`);
      notify("The task is cancelled.");
      done();
    });
  }, "quiet danger", { "aria-label": `Cancel task ${task.id.slice(0, 8)}` });
  return cancel;
}
