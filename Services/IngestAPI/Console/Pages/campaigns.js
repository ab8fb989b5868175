// Campaigns: sums by the label `campaign` over time, and the two cohorts of a comparison.

import { enc } from "./api.js";
import { h } from "./dom.js";
import { OUTCOMES, count, fullTime, nameOf, share } from "./format.js";
import { card, empty, facts, load, table } from "./parts.js";

const DAYS = 30;

const since = () => new Date(Date.now() - DAYS * 86_400_000).toISOString().slice(0, 10) + "T00:00:00.000Z";

export function show(context) {
  const { argument, body } = context;
  const element = h("div");
  body.append(element);
  if (argument !== null) showOne(context, argument, element);
  else showAll(context, element);
}

function sums(rows) {
  const all = new Map();
  for (const row of rows) {
    const sum = all.get(row.value) ?? { tasks: 0, targeted: 0, delivered: 0, opened: 0 };
    sum.tasks += row.tasks;
    sum.targeted += row.counts.targeted;
    sum.delivered += row.counts.delivered;
    sum.opened += row.receipts?.opened ?? 0;
    all.set(row.value, sum);
  }
  return [...all].sort(([, a], [, b]) => b.targeted - a.targeted);
}

const byCampaign = (app) => app.get(`/statistics?by=label&name=campaign&interval=day&from=${since()}`);

function showAll({ app, link }, element) {
  load(element, async () => ({ campaigns: await byCampaign(app),
    platforms: await app.get(`/statistics?by=platform&interval=day&from=${since()}`) }),
    ({ campaigns, platforms }) => {
      const rows = (list, first) => sums(list).map(([name, sum]) => [first(name), count(sum.tasks),
        count(sum.targeted), share(sum.delivered, sum.targeted), count(sum.opened), share(sum.opened, sum.delivered)]);
      const heads = ["#tasks", "#devices", "#delivered", "#opened", "#open rate"];
      return [card(`Campaigns, last ${DAYS} days`, campaigns.rows.length ? table("Campaigns", ["Campaign", ...heads],
        rows(campaigns.rows, (name) => h("a", { href: link(`campaigns/${enc(name)}`) }, h("bdi", name)))) :
        empty("No campaigns", "A task belongs to a campaign by its label campaign=NAME.")),
      card("Platforms", platforms.rows.length ? table("Platforms", ["Platform", ...heads],
        rows(platforms.rows, nameOf)) : h("p.none", "No task was closed yet."))];
    });
}

function showOne({ app, title }, name, element) {
  title.append(" ", h("bdi.id", name));
  load(element, async () => ({
    campaign: await app.get(`/campaigns/${enc(name)}?from=${since()}`),
    days: (await byCampaign(app)).rows.filter((one) => one.value === name),
  }), ({ campaign, days }) => [card("Days", days.length ?
    [columns(days), table("Days", ["Day", "#tasks", "#devices", ...OUTCOMES.map((one) => `#${nameOf(one)}`), "#opened"],
    days.map((one) => [fullTime(one.time).slice(0, 12).replace(/,.*/, ""), count(one.tasks),
      count(one.counts.targeted), ...OUTCOMES.map((outcome) => count(one.counts[outcome])),
      count(one.receipts?.opened)]))] :
    empty("No closed task", `In the last ${DAYS} days.`)), cohortsCard(campaign)]);
}

function columns(days) {
  const most = Math.max(1, ...days.map((one) => one.counts.targeted));
  return h("div.days", { "aria-hidden": "true" }, days.map((one) => {
    const column = h("span", { title: `${one.time.slice(0, 10)}: ${count(one.counts.targeted)}` });
    column.style.height = `${100 * one.counts.targeted / most}%`;
    return column;
  }));
}

function cohortsCard({ cohorts, difference }) {
  const percent = (value) => value === null || value === undefined ? "–" : `${(100 * value).toFixed(1)} %`;
  const interval = (pair) => pair ? `${percent(pair[0])} to ${percent(pair[1])}` : "–";
  return card("Good moments compared with sending at once",
    table("Cohorts", ["Cohort", "#tasks", "#devices", "#delivered", "#opened", "#open rate", "95 % interval"],
    [["At good moments", cohorts.context_aware], ["At once", cohorts.traditional]].map(([name, one]) =>
      [name, count(one.tasks), count(one.sent), count(one.delivered), count(one.opened), percent(one.open_rate),
      interval(one.open_rate_interval)])),
  difference ? facts([["Difference of the open rates",
    `${percent(difference.open_rate)} (${interval(difference.interval)})`], ["Significant", difference.is_significant ?
    "yes" : "no"]]) : null);
}
