// The page: reads two charts and the newest runs over REST, and again every half minute.

import { read } from "../live/api.js";
import { byId, html, set } from "../live/dom.js";
import { count, milliseconds, time } from "../live/format.js";
import { Chart } from "./chart.js";

const PERIOD = 30000; // ms between two readings
const LINES = 8; // switches that are drawn: the fullest
const POINTS = 240;
const RUNS = 12;

const sizes = new Chart(byId("sizes"), byId("sizes-legend"), byId("sizes-readout"));
const delay = new Chart(byId("delay"), byId("delay-legend"), byId("delay-readout"));
const hours = byId("hours");
let asked = 0; // the last question; an older answer is not shown

async function draw() {
  const turn = (asked += 1);
  const until = new Date();
  const since = new Date(until - hours.value * 3600000);
  const span = { since: since.toISOString(), until: until.toISOString(), max_points: POINTS };
  try {
    const [tables, delays, runs] = await Promise.all([
      read("analytics/flow-table-size/", span),
      read("analytics/delay/", { ...span, by: "network" }),
      read("analytics/runs/", { ordering: "-id", limit: RUNS }),
    ]);
    if (turn !== asked) return;
    drawSizes(tables);
    drawDelay(delays);
    drawRuns(runs.results);
    tell("");
  } catch (error) {
    if (error.status === 401 || error.status === 403) location.assign("/login/?next=/analytics/");
    else if (turn === asked) tell(`The results could not be read: ${error.message}. Trying again.`);
  }
}

function drawSizes(answer) {
  const ranked = answer.series
    .map((one) => ({ ...one, fullest: Math.max(...one.points.map((p) => p.occupancy_max ?? 0)), most: Math.max(...one.points.map((p) => p.entries_max ?? 0)) }))
    .sort((a, b) => b.fullest - a.fullest || b.most - a.most || a.switch.localeCompare(b.switch));
  const shown = ranked.slice(0, LINES);
  const lines = shown.map((one) => ({
    name: one.switch,
    values: one.points.map((p) => p.entries_max),
    limit: one.points.map((p) => p.budget),
  }));
  const left = ranked.length + answer.more - shown.length;
  set(byId("sizes-summary"), { text: left ? `most entries, budgets dashed; the ${LINES} fullest of ${ranked.length + answer.more} switches` : "most entries, budgets dashed" });
  show(sizes, "sizes", answer, lines, "Entries in the tables of switches over time, with budgets", count);
}

function drawDelay(answer) {
  const points = answer.series[0]?.points ?? [];
  const lines = ["p50_ms", "p95_ms", "p99_ms"].map((name) => ({ name: name.slice(0, 3), values: points.map((p) => p[name]) }));
  show(delay, "delay", answer, points.length ? lines : [], "Percentiles of the delay from publisher to host over time, in milliseconds", milliseconds);
}

function show(chart, name, answer, lines, label, format) {
  const empty = byId(`${name}-empty`);
  empty.hidden = !answer.empty;
  set(empty, { text: answer.empty?.detail ?? "" });
  set(byId("updated"), { text: answer.updated_at ? `updated ${time(answer.updated_at).text}` : "" });
  if (answer.empty || !lines.length) return chart.clear();
  const times = answer.series[0].points.map((point) => new Date(point.at));
  return chart.draw({ lines, times, label, format, clock: (at) => time(at.toISOString()).text });
}

function drawRuns(runs) {
  byId("runs").hidden = !runs.length;
  byId("runs-empty").hidden = runs.length > 0;
  byId("runs").tBodies[0].replaceChildren(
    ...runs.map((run) =>
      html(
        "tr",
        {},
        html("td", { text: run.id }),
        html("td", { text: `${run.job.replaceAll("_", " ")}, ${run.window}` }),
        html("td", { text: stateOf(run), "data-state": run.state }),
        html("td", {}, html("time", time(run.due ?? run.created_at))),
        html("td", { class: "num", text: run.rows === null ? "–" : count(run.rows) }),
        html("td", { class: "why", text: run.reason || volume(run) }),
      ),
    ),
  );
}

function stateOf(run) {
  if (run.state !== "running") return run.state;
  const part = run.progress === null ? "" : ` ${Math.round(100 * run.progress)} %`;
  return `${run.stage || "running"}${part}`;
}

function volume(run) {
  const { read: taken, there } = run.figures ?? {};
  return taken ? `read ${count(taken.files)} of ${count(there.files)} files` : "";
}

function tell(text) {
  const notice = byId("notice");
  notice.hidden = !text;
  set(notice, { text });
}

hours.addEventListener("change", draw);
setInterval(draw, PERIOD);
draw();
