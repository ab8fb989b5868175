// Saved audiences.

import { enc } from "./api.js";
import { AudienceForm } from "./audience-form.js";
import { debounce, h, replace } from "./dom.js";
import { PLATFORMS, count, nameOf, plural } from "./format.js";
import {
	button, card, empty, failure, field, form, load, notify, showErrors, table, textInput,
} from "./parts.js";

const COUNT_MILLISECONDS = 400;

export function show({ app, body }) {
	const mayEdit = app.may("admin");
	const list = h("div");
	const editor = h("div.card");
	const countOf = (audience) => app.post("/audiences/count", { audience });
	const refresh = () => load(list, () => app.get("/audiences"), ({ audiences }) =>
		table("Saved audiences", ["Name", "Devices", "", ""], audiences.map(row),
			empty("No saved audiences", mayEdit ? "Save one below." : "A key with the scope admin can save one.")));

	function row(name) {
		const devices = h("span", { "aria-live": "polite" });
		const path = `/audiences/${enc(name)}`;
		return [h("code", name), h("span.line", devices, button("Count", async () => {
			devices.textContent = count((await countOf({ audience: name })).devices);
		}, "quiet")), button("Show", async () => edit(name, (await app.get(path)).audience), "quiet"),
		mayEdit && button("Remove", async () => {
			await app.remove(path);
			notify("Removed.");
			refresh();
		}, "quiet danger", { ask: [`Remove ${name}?`, "Accepted tasks keep what it meant.", "Remove"] })];
	}

	function edit(name, audience) {
		const size = h("output.size", "–");
		const platforms = h("p.fine");
		const recount = debounce(COUNT_MILLISECONDS, async () => {
			showErrors(element);
			let answer = null;
			try {
				const chosen = builder.read();
				answer = chosen && await countOf(chosen);
			} catch (error) {
				showErrors(element, error.fields);
			}
			size.textContent = answer ? plural(answer.devices, "device") : "–";
			platforms.textContent = PLATFORMS.filter((one) => answer?.platforms[one]).map((one) =>
				`${nameOf(one)} ${count(answer.platforms[one])}`).join(", ");
		});
		const builder = new AudienceForm({ changed: recount });
		const input = textInput({ value: name, maxlength: 64, pattern: "[a-z0-9._\\-]{1,64}", required: true,
			placeholder: "small letters, digits, . _ -" });
		const save = h("button.primary", "Save");
		const problem = h("div");
		const element = form("form", save, async () => {
			try {
				await app.put(`/audiences/${enc(input.value)}`, builder.read());
				replace(problem);
				notify("Saved.");
				refresh();
			} catch (error) {
				const isShown = error.fields?.length && !showErrors(element, error.fields).length;
				replace(problem, !isShown && failure(error));
			}
		}, builder.element, h("div.line", size, platforms),
		mayEdit && h("div.row", field("Name", input, "name"), save),
		problem);
		replace(editor, h("h2", name ? ["Audience ", h("code", name)] : "New audience"), element);
		if (audience) {
			builder.write(audience);
			input.focus();
		}
	}

	body.append(card("Saved", list), editor);
	refresh();
	edit("", null);
}
