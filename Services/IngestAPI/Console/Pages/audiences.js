// Saved audiences.

import { enc } from "./api.js";
import { AudienceForm } from "./audience-form.js";
import { debounce, h, replace } from "./dom.js";
import { PLATFORMS, count, nameOf, plural } from "./format.js";
import { busy, button, card, clearErrors, code, confirm, empty, failure, field, load, notify, showErrors,
  table } from "./parts.js";

const COUNT_MILLISECONDS = 400;

export function show({ app, body }) {
  const list = h("div");
  const editor = h("div.card");
  const refresh = () => load(list, () => app.get("/audiences"), ({ audiences }) => audiences.length ?
    table("Saved audiences", ["Name", "Devices", "", ""], audiences.map((name) => row(name))) :
    empty("No saved audiences", app.may(["admin"]) ? "Save one below." : "A key with the scope admin can save one."));

  function row(name) {
    const devices = h("span", { "aria-live": "polite" }, "");
    const path = `/audiences/${enc(name)}`;
    const countButton = button("Count", () => busy(countButton, async () => {
      const answer = await app.post("/audiences/count", { audience: { audience: name } });
      devices.textContent = count(answer.devices);
    }), "quiet");
    const open = button("Show", () => busy(open, async () => {
      const { audience } = await app.get(path);
      edit(name, audience);
    }), "quiet");
    const remove = button("Remove", async () => {
      if (!await confirm(`Remove ${name}?`, "Accepted tasks keep what it meant.", "Remove")) return;
      busy(remove, async () => {
        await app.remove(path);
        notify("Removed.");
        refresh();
      });
    }, "quiet danger");
    return [h("code", name), h("span.line", devices, countButton), open, app.may(["admin"]) ? remove : ""];
  }

  function edit(name, audience) {
    const size = h("output.size", "–");
    const platforms = h("p.fine");
    const recount = debounce(COUNT_MILLISECONDS, async () => {
      const chosen = form.safeRead();
      if (!chosen) return void (size.textContent = "–");
      try {
        const answer = await app.post("/audiences/count", { audience: chosen });
        clearErrors(element);
        size.textContent = plural(answer.devices, "device");
        platforms.textContent = PLATFORMS.filter((one) => answer.platforms[one]).map((one) =>
          `${nameOf(one)} ${count(answer.platforms[one])}`).join(", ");
      } catch (error) {
        size.textContent = "–";
        if (error.name !== "AbortError") showErrors(element, error.fields ?? []);
      }
    });
    const form = new AudienceForm({ changed: recount });
    const input = h("input", { value: name, maxlength: "64", pattern: "[a-z0-9._\\-]{1,64}", required: true,
      autocomplete: "off" });
    const save = h("button.primary", "Save");
    const problem = h("div");
    const element = h("form", { onsubmit: (event) => {
      event.preventDefault();
      busy(save, async () => {
        replace(problem);
        try {
          await app.put(`/audiences/${enc(input.value)}`, { audience: form.read() });
          notify("Saved.");
          refresh();
        } catch (error) {
          if (showErrors(element, error.fields ?? []).length || !error.fields?.length) replace(problem, failure(error));
        }
      });
    } }, form.element, h("div.line", size, platforms),
    app.may(["admin"]) ? h("div.row", field("Name", input, { hint: "Small letters, digits, . _ -", path: "name" }),
      save) : null, problem,
    audience ? h("details", h("summary", "As JSON"), code(JSON.stringify(audience, null, 2))) : null);
    replace(editor, h("h2", name ? h("span", "Audience ", h("code", name)) : "New audience"), element);
    if (audience) {
      form.write(audience);
      input.focus();
    }
  }

  body.append(card("Saved", list), editor);
  refresh();
  edit("", null);
}
