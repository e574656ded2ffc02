// The page: reads the state over REST, keeps it current by the live stream, and draws what changed.

import { Alarms } from "./alarms.js";
import { read, readAll } from "./api.js";
import { Badge } from "./badge.js";
import { Counters } from "./counters.js";
import { byId, set } from "./dom.js";
import { Frames } from "./frames.js";
import { Network } from "./network.js";
import { Reader } from "./reader.js";
import { Requests } from "./requests.js";
import { Stream } from "./stream.js";
import { Switches } from "./switches.js";
import { Topology } from "./topology.js";

const HISTORY = 1000; // events before now that are looked at for alarms and rates
const QUEUE = 20000; // changes kept while the state is being read; beyond, it is read again
const REREAD = 1500; // ms: the least time between two readings of the state
const RETRY = 3000; // ms after which the state is read without a stream
const SHAPES = /^(add|remove)_(switch|link)$|^set_budget$/;

const frames = new Frames();
const network = new Network();
const counters = new Counters();
const requests = new Requests();
const alarms = new Alarms();
const badge = new Badge();
const topology = new Topology(network, () => frames.ask("topology", () => topology.draw()));
const switches = new Switches(network);
const notice = byId("notice");

let ready = false; // whether the whole state was read
let boundary = 0; // events up to this id were in the state when it was read
let journal = []; // changes that came while something was being read, and may be newer than the answer

const all = new Reader([readNetwork, readLog, readTotals], begin, failed);
const shape = new Reader([readNetwork], () => renew("topology", "switches", "counters"), failed);
const log = new Reader([readLog], () => renew("requests"), failed);
const READERS = [all, shape, log];

const stream = new Stream({
  begin(hello) {
    boundary = hello.newest;
    all.ask(0);
    return Math.max(0, hello.oldest - 1, hello.newest - HISTORY);
  },
  event: take,
  reload(newest) {
    boundary = newest;
    ready = false;
    alarms.missed(newest);
    all.ask(0);
  },
  state(state) {
    badge.show(state);
    if (state.name === "live" && !ready) all.ask(0);
    if (state.loggedOut) checkLogIn();
  },
});

/** Take an event into the state and ask for the drawing of what it changes. */
function take(event) {
  const { id, kind, payload, at } = event;
  const old = id <= boundary; // the state that was read has it already
  alarms.saw(at);
  switch (kind) {
    case "alarm":
      alarms.add(event);
      ask("alarms");
      break;
    case "load":
      network.measure({ at, ...payload });
      ask("topology");
      break;
    case "traffic":
      counters.report(payload, Date.parse(payload.at ?? at));
      ask("counters");
      break;
    default:
      if (old) return;
      if (reading()) note(event);
      change(kind, payload, ready);
  }
}

/** Apply a change; what it tells of things unknown so far is read, when it is `fresh`. */
function change(kind, payload, fresh) {
  switch (kind) {
    case "request":
      if (!requests.change(payload) && fresh) log.ask(REREAD);
      if (SHAPES.test(payload.kind) && payload.state === "active" && fresh) shape.ask(REREAD);
      ask("requests");
      break;
    case "requests":
      requests.changeMany(payload);
      if (fresh) for (const reader of [log, shape]) reader.ask(REREAD);
      ask("requests");
      break;
    case "switch":
      if (!network.changeSwitch(payload) && fresh) shape.ask(REREAD);
      ask("topology", "switches", "counters");
      break;
    case "link":
      if (!network.changeLink(payload) && fresh) shape.ask(REREAD);
      ask("topology", "switches");
      break;
    case "exact":
      if (!network.fillExact(payload) && fresh) shape.ask(REREAD);
      ask("switches");
      break;
    case "tables":
      if (!network.fill(payload) && fresh) shape.ask(REREAD);
      ask("topology", "switches", "counters");
      break;
  }
}

const DRAWINGS = {
  topology: () => topology.draw(),
  switches: () => switches.draw(),
  requests: () => requests.draw(),
  alarms: () => alarms.draw(),
  counters: () => counters.draw(network.table),
};

function ask(...names) {
  if (!ready) return;
  for (const name of names) frames.ask(name, DRAWINGS[name]);
}

async function readNetwork() {
  const [rows, links] = await Promise.all([readAll("switches/"), readAll("links/")]);
  return () => network.load(rows, links);
}

async function readLog() {
  const page = await read("requests/", { ordering: "-id", limit: requests.size });
  return () => requests.load(page.results);
}

async function readTotals() {
  const totals = await read("traffic/totals/");
  return () => counters.load(totals);
}

/** A failed reading is told to the reader; one that ended with the log-in leads there. */
function failed(error) {
  if (error.status === 401) checkLogIn();
  tell(`The state could not be read: ${error.message}. Trying again.`);
}

function reading() {
  return !ready || READERS.some((reader) => reader.busy);
}

function note(event) {
  if (journal.push(event) <= QUEUE) return;
  journal = [];
  all.ask(0);
}

function begin() {
  ready = true;
  renew(...Object.keys(DRAWINGS));
}

/** Something was read: apply again what came meanwhile, and draw. */
function renew(...names) {
  for (const { kind, payload } of journal) change(kind, payload, false);
  if (!reading()) journal = [];
  tell("");
  ask(...names);
}

function tell(text) {
  notice.hidden = !text;
  set(notice, { text });
}

/** To the log-in page, when it is really the log-in that ended. */
async function checkLogIn() {
  try {
    const me = await read("me/");
    set(byId("who"), { text: `${me.username} · ${me.role}` });
    const may = me.may?.find(({ resource }) => resource === "switches")?.methods ?? [];
    switches.editable = may.includes("PATCH");
    ask("switches");
  } catch (error) {
    if (error.status === 401 || error.status === 403) location.assign("/login/?next=/");
  }
}

checkLogIn();
stream.open();
setTimeout(() => ready || all.ask(0), RETRY); // without a stream, the state is better than nothing
