// Dead letters: messages that a worker could not handle. They can be shown and replayed.

import { enc } from "./api.js";
import { h, replace } from "./dom.js";
import { bytes, count, plural, relative } from "./format.js";
import { badge, busy, button, card, code, dialog, empty, facts, load, moment, notify, table } from "./parts.js";

export function show({ app, body, tools, link }) {
  const list = h("div");
  const result = h("div", { role: "status" });
  const chosen = new Set();
  const replay = button("Replay selected", () => send([...chosen], replay), "primary");
  tools.append(button("Refresh", () => refresh()), replay);
  body.append(result, list);

  function mark() {
    replay.disabled = chosen.size === 0;
    replay.textContent = chosen.size ? `Replay ${count(chosen.size)}` : "Replay selected";
  }

  function refresh() {
    chosen.clear();
    mark();
    return load(list, () => app.get("/dead-letters?limit=50"), ({ letters, total }) => letters.length ?
      card(`${plural(total, "dead letter")}, newest first`,
        table("Dead letters", ["", "Died", "Channel", "Reason", "Attempts", "Task", "State", ""], letters.map(row))) :
      empty("No dead letters", "Every message of this app was handled."));
  }

  function row(letter) {
    const box = h("input", { type: "checkbox", "aria-label": `Select ${letter.position}`,
      disabled: !letter.replayable || letter.replayed, onchange: () => {
      if (box.checked) chosen.add(letter.position);
      else chosen.delete(letter.position);
      mark();
    } });
    return [box, h("time", { datetime: letter.died, title: letter.died }, relative(letter.died)),
      h("code", letter.channel),
      h("span.reason-cell", badge(letter.reason, "failed"), " ", h("bdi", letter.detail ?? "")), count(letter.attempts),
      letter.task ? h("a", { href: link(`task/${letter.task}`) }, h("code", letter.task.slice(0, 8))) : "–",
      letter.replayed ? badge("replayed", "closed") : letter.replayable ? "waits" : "cannot be replayed",
      button("Show", () => open(letter), "quiet", { "aria-label": `Show ${letter.position}` })];
  }

  function open(letter) {
    dialog(`Dead letter ${letter.position}`, (close) => {
      const content = h("div");
      load(content, () => app.get(`/dead-letters/${enc(letter.position)}`), (one) => [facts([
        ["Channel", one.channel], ["Group", one.group], ["Reason", one.reason], ["Detail", h("bdi", one.detail ?? "–")],
        ["Attempts", count(one.attempts)], ["First seen", moment(one.first_seen)], ["Died", moment(one.died)],
          ["Size", bytes(one.value_bytes)]]), code(one.content ?? "")]);
      const replayOne = button("Replay", () => send([letter.position], replayOne).then(close), "primary");
      replayOne.hidden = !letter.replayable || letter.replayed;
      return h("div", content, h("div.actions", button("Close", close), replayOne));
    }, "wide");
  }

  async function send(positions, element) {
    await busy(element, async () => {
      const { replayed, refused } = await app.post("/dead-letters/replay", { positions });
      notify(`${plural(replayed, "message")} replayed.`, refused.length ? "bad" : "good");
      replace(result, h("div", { class: refused.length ? "banner bad" : "banner good" },
        h("strong", `${plural(replayed, "message")} replayed. `),
        refused.map((one) => h("span", h("code", one.position), `: ${one.reason} `))));
      await refresh();
    });
    mark();
  }

  refresh();
}
