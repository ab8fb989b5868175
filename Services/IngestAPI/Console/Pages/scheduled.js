// Tasks that wait for their time.

import { replace } from "./dom.js";
import { fullTime } from "./format.js";
import { button, empty, labelTexts, loadPages, moment, notify, tableCard, taskLink } from "./parts.js";

const nothing = () => empty("Nothing is scheduled", "Tasks with a time appear here until they are sent.");

export function show({ app, body }) {
	loadPages(body, app, "/tasks?state=scheduled&limit=50", ({ tasks }) => tableCard("Next first",
		["Task", "Time", "Labels", ""], tasks.map((one) => [taskLink(app, one.id), whenOf(one), labelTexts(one.labels),
			app.may("publish", "broadcast", "admin") && cancelButton(app, body, one)]), nothing()));
}

function whenOf({ send_at, send_at_local, window }) {
	if (send_at_local) return `${send_at_local.replace("T", " ")}, each device's own time`;
	return window && !send_at ? `until ${fullTime(window.ends)}` : moment(send_at);
}

function cancelButton(app, body, { id }) {
	const cancel = button("Cancel", async () => {
		await app.post(`/tasks/${id}/cancel`);
		notify("The task is cancelled.");
		// It stays on the server's list for a moment.
		cancel.closest("tr").remove();
		if (!body.querySelector("td")) replace(body, nothing());
	}, "quiet danger", { ask: ["Cancel this task?", "It will not be sent.", "Cancel task"],
		"aria-label": `Cancel task ${id.slice(0, 8)}` });
	return cancel;
}
