// Campaigns: sums by the label `campaign` over time, and the two cohorts of a comparison.

import { enc } from "./api.js";
import { h } from "./dom.js";
import { OUTCOMES, count, nameOf, share } from "./format.js";
import { card, empty, facts, load, none, table } from "./parts.js";

const DAYS = 30;
const HEADS = ["#tasks", "#devices", "#delivered", "#opened", "#open rate"];

const since = () => new Date(Date.now() - DAYS * 86_400_000).toISOString().slice(0, 10) + "T00:00:00.000Z";

const statistics = (app, by) => app.get(`/statistics?by=${by}&interval=day&from=${since()}`);
const byCampaign = (app) => statistics(app, "label&name=campaign");

export function show({ app, argument: name, body, title }) {
	if (name === undefined) return load(body, () => Promise.all([byCampaign(app), statistics(app, "platform")]),
		([campaigns, platforms]) => [
			card(`Campaigns, last ${DAYS} days`, table("Campaigns", ["Campaign", ...HEADS],
				sums(campaigns.rows, (one) => h("a", { href: app.link(`campaigns/${enc(one)}`) }, h("bdi", one))),
				empty("No campaigns", "A task belongs to a campaign by its label campaign=NAME."))),
			card("Platforms", table("Platforms", ["Platform", ...HEADS], sums(platforms.rows, nameOf),
				none("No task was closed yet."))),
		]);
	title.append(" ", h("bdi.id", name));
	load(body, () => Promise.all([app.get(`/campaigns/${enc(name)}?from=${since()}`), byCampaign(app)]),
		([campaign, { rows }]) => [card("Days", drawDays(rows.filter((one) => one.value === name))),
			cohortsCard(campaign)]);
}

/** Rows of a table, the largest first. */
function sums(rows, drawName) {
	const all = new Map();
	for (const { value, tasks, counts, receipts } of rows) {
		const sum = all.get(value) ?? { tasks: 0, targeted: 0, delivered: 0, opened: 0 };
		sum.tasks += tasks;
		sum.targeted += counts.targeted;
		sum.delivered += counts.delivered;
		sum.opened += receipts?.opened ?? 0;
		all.set(value, sum);
	}
	return [...all].sort(([, a], [, b]) => b.targeted - a.targeted).map(([name, sum]) => [drawName(name),
		count(sum.tasks), count(sum.targeted), share(sum.delivered, sum.targeted), count(sum.opened),
		share(sum.opened, sum.delivered)]);
}

function drawDays(days) {
	const most = Math.max(1, ...days.map((one) => one.counts.targeted));
	const columns = days.map(({ counts }) => {
		const column = h("span");
		column.style.height = `${100 * counts.targeted / most}%`;
		return column;
	});
	return days.length ? [h("div.days", { "aria-hidden": "true" }, columns),
		table("Days", ["Day", "#tasks", "#devices", ...OUTCOMES.map((one) => `#${nameOf(one)}`), "#opened"],
			days.map(({ time, tasks, counts, receipts }) => [time.slice(0, 10), count(tasks), count(counts.targeted),
				...OUTCOMES.map((outcome) => count(counts[outcome])), count(receipts?.opened)]))] :
		empty("No closed task", `In the last ${DAYS} days.`);
}

function cohortsCard({ cohorts, difference }) {
	const percent = (value) => typeof value === "number" ? share(value, 1) : "–";
	const interval = (pair) => pair ? `${percent(pair[0])} to ${percent(pair[1])}` : "–";
	return card("Good moments compared with sending at once",
		table("Cohorts", ["Cohort", ...HEADS, "95 % interval"],
			[["At good moments", cohorts.context_aware], ["At once", cohorts.traditional]].map(([name, one]) =>
				[name, ...[one.tasks, one.sent, one.delivered, one.opened].map(count), percent(one.open_rate),
					interval(one.open_rate_interval)])),
		difference && facts([
			["Difference of the open rates", `${percent(difference.open_rate)} (${interval(difference.interval)})`],
			["Significant", difference.is_significant ? "yes" : "no"],
		]));
}
