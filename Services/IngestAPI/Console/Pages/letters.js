// Dead letters: messages that a worker could not handle. They can be shown and replayed.

import { enc } from "./api.js";
import { h, replace } from "./dom.js";
import { count, plural } from "./format.js";
import {
	ago, badge, button, code, dialog, empty, entries, facts, load, loaded, notify, tableCard, taskLink,
} from "./parts.js";

export function show({ app, body, tools }) {
	const list = h("div", { onchange: mark });
	const result = h("div", { role: "status" });
	const chosen = () => [...list.querySelectorAll(":checked")].map((box) => box.value);
	const replay = button("", () => send(chosen()), "primary");
	tools.append(button("Refresh", () => refresh()), replay);
	body.append(result, list);

	function mark() {
		const { length } = chosen();
		replay.disabled = length === 0;
		replace(replay, length ? `Replay ${length}` : "Replay selected");
	}

	async function refresh() {
		await load(list, () => app.get("/dead-letters?limit=50"), ({ letters, total }) =>
			tableCard(`${plural(total, "dead letter")}, newest first`,
				["", "Died", "Channel", "Reason", "Attempts", "Task", "State", ""], letters.map(row),
				empty("No dead letters", "Every message of this app was handled.")));
		mark();
	}

	const canReplay = (letter) => letter.replayable && !letter.replayed;

	function row(letter) {
		const { position } = letter;
		return [h("input", { type: "checkbox", value: position, "aria-label": `Select ${position}`,
			disabled: !canReplay(letter) }), ago(letter.died), h("code", letter.channel),
			h("div.text", badge(letter.reason, "failed"), " ", h("bdi", letter.detail)), count(letter.attempts),
			letter.task ? taskLink(app, letter.task) : "–",
			letter.replayed ? badge("replayed", "closed") : letter.replayable ? "waits" : "cannot be replayed",
			button("Show", () => open(letter), "quiet", { "aria-label": `Show ${position}` })];
	}

	function open(letter) {
		dialog(`Dead letter ${letter.position}`, (close) => [
			loaded(() => app.get(`/dead-letters/${enc(letter.position)}`), ({ content, ...rest }) =>
				[facts(entries(rest)), code(content ?? "")]),
			h("div.actions", button("Close", close), canReplay(letter) && button("Replay", async () => {
				await send([letter.position]);
				close();
			}, "primary")),
		]);
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

	mark();
	refresh();
}
