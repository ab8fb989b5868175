// Dead letters: messages that a worker could not handle. They can be shown and replayed.

import { enc } from "./api.js";
import { h, replace } from "./dom.js";
import { count, plural } from "./format.js";
import {
	ago, badge, button, card, code, dialog, empty, facts, load, loaded, moment, notify, table, taskLink,
} from "./parts.js";

export function show({ app, body, tools }) {
	const list = h("div");
	const result = h("div", { role: "status" });
	const chosen = new Set();
	const replay = button("Replay selected", () => send([...chosen]), "primary");
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

	const canReplay = (letter) => letter.replayable && !letter.replayed;

	function row(letter) {
		const { position } = letter;
		const box = h("input", { type: "checkbox", "aria-label": `Select ${position}`, disabled: !canReplay(letter),
			onchange: () => {
				if (box.checked) chosen.add(position);
				else chosen.delete(position);
				mark();
			} });
		return [box, ago(letter.died), h("code", letter.channel),
			h("span.reason-cell", badge(letter.reason, "failed"), " ", h("bdi", letter.detail)), count(letter.attempts),
			letter.task ? taskLink(app, letter.task) : "–",
			letter.replayed ? badge("replayed", "closed") : letter.replayable ? "waits" : "cannot be replayed",
			button("Show", () => open(letter), "quiet", { "aria-label": `Show ${position}` })];
	}

	function open(letter) {
		dialog(`Dead letter ${letter.position}`, (close) => [
			loaded(() => app.get(`/dead-letters/${enc(letter.position)}`), (one) => [facts([
				["Channel", one.channel], ["Group", one.group], ["Reason", one.reason],
				["Detail", h("bdi", one.detail ?? "–")],
				["Attempts", one.attempts], ["First seen", moment(one.first_seen)], ["Died", moment(one.died)],
				["Bytes", count(one.value_bytes)],
			]), code(one.content ?? "")]),
			h("div.actions", button("Close", close), canReplay(letter) && button("Replay", async () => {
				await send([letter.position]);
				close();
			}, "primary")),
		], "wide");
	}

	async function send(positions) {
		const { replayed, refused } = await app.post("/dead-letters/replay", { positions });
		const kind = refused.length ? "bad" : "good";
		const text = `${plural(replayed, "message")} replayed.`;
		notify(text, kind);
		replace(result, h("div", { class: `banner ${kind}` }, h("strong", text),
			refused.map((one) => [" ", h("code", one.position), `: ${one.reason}`])));
		await refresh();
	}

	refresh();
}
