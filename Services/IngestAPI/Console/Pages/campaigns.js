// Campaigns: sums by the label `campaign` over time, and the two cohorts of a comparison.

import { enc } from "./api.js";
import { h } from "./dom.js";
import { OUTCOMES, count, nameOf, share } from "./format.js";
import { card, empty, facts, load, table, tableCard } from "./parts.js";

const DAYS = 30;
const HEADS = ["#tasks", "#devices", "#delivered", "#opened", "#open rate"];

const since = () => `${new Date(Date.now() - DAYS * 86_400_000).toISOString().slice(0, 10)}T00:00:00.000Z`;

const statistics = (app, by) => app.get(`/statistics?by=${by}&interval=day&from=${since()}`);
const byCampaign = (app) => statistics(app, "label&name=campaign");

export function show({ app, argument: name, body, title }) {
	if (name === undefined) return load(body, () => Promise.all([byCampaign(app), statistics(app, "platform")]),
		([campaigns, platforms]) => [
			tableCard(`Campaigns, last ${DAYS} days`, ["Campaign", ...HEADS],
				sums(campaigns.rows, (one) => h("a", { href: app.link(`campaigns/${enc(one)}`) }, h("bdi", one))),
				empty("No campaigns", "A task belongs to a campaign by its label campaign=NAME.")),
			tableCard("Platforms", ["Platform", ...HEADS], sums(platforms.rows, nameOf), empty("No closed task")),
		]);
	title.append(" ", h("bdi.id", name));
	load(body, () => Promise.all([app.get(`/campaigns/${enc(name)}?from=${since()}`), byCampaign(app)]),
		([campaign, { rows }]) => [
			drawDays(rows.filter((one) => one.value === name)),
			card("Good moments compared with sending at once", drawCohorts(campaign)),
		]);
}

/** Rows of a table, the largest first. */
function sums(rows, drawName) {
	const all = new Map();
	for (const { value, tasks, counts, receipts } of rows) {
		const before = all.get(value) ?? [0, 0, 0, 0];
		const numbers = [tasks, counts.targeted, counts.delivered, receipts?.opened ?? 0];
		all.set(value, numbers.map((number, index) => number + before[index]));
	}
	return [...all].sort(([, a], [, b]) => b[1] - a[1]).map(([name, numbers]) =>
		[drawName(name), ...numbers.map(count), share(numbers[3], numbers[2])]);
}

function drawDays(days) {
	const heads = ["#tasks", "#devices", ...OUTCOMES.map((one) => `#${nameOf(one)}`), "#opened"];
	return tableCard(`Last ${DAYS} days`, ["Day", ...heads], days.map(({ time, tasks, counts, receipts }) => {
		const numbers = [tasks, counts.targeted, ...OUTCOMES.map((one) => counts[one]), receipts?.opened];
		return [time.slice(0, 10), ...numbers.map(count)];
	}), empty("No closed task"));
}

function drawCohorts({ cohorts, difference }) {
	const percent = (value) => typeof value === "number" ? share(value, 1) : "–";
	const interval = (pair) => pair ? `${percent(pair[0])} to ${percent(pair[1])}` : "–";
	const rows = { "At good moments": cohorts.context_aware, "At once": cohorts.traditional };
	return [table("Cohorts", ["Cohort", ...HEADS, "#95 % interval"], Object.entries(rows).map(([name, one]) =>
		[name, ...[one.tasks, one.sent, one.delivered, one.opened].map(count), percent(one.open_rate),
			interval(one.open_rate_interval)])),
	difference && facts([["Difference of the open rates", `${percent(difference.open_rate)} (${
		interval(difference.interval)}), ${difference.is_significant ? "" : "not "}significant`]])];
}
