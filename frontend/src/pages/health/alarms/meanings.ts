// Meanings of alarms and their remedies, by the name or the text of an alarm.

import { text } from "./text";

export interface Meaning {
  title: string;
  meaning: string;
  remedy: string;
  /** Page of the documentation and its heading. */
  docs: string;
}

const ACTIVE: Record<string, Meaning> = {
  duplicate_dpid: { ...text.active.duplicate_dpid, docs: "northbound.md, GET /v1/alarms" },
  openflow_version: { ...text.active.openflow_version, docs: "northbound.md, GET /v1/alarms" },
  bad_dpid: { ...text.active.bad_dpid, docs: "northbound.md, GET /v1/alarms" },
  broken_connection: { ...text.active.broken_connection, docs: "northbound.md, GET /v1/alarms" },
  untrusted_switch: { ...text.active.untrusted_switch, docs: "northbound.md, GET /v1/alarms" },
  unproved_switch: { ...text.active.unproved_switch, docs: "northbound.md, GET /v1/alarms" },
  too_many_connections: { ...text.active.too_many_connections, docs: "limits.md, Switches and other peers" },
  resources_exhausted: { ...text.active.resources_exhausted, docs: "northbound.md, GET /v1/alarms" },
  setup_failed: { ...text.active.setup_failed, docs: "northbound.md, GET /v1/alarms" },
  switch_problem: { ...text.active.switch_problem, docs: "northbound.md, GET /v1/alarms" },
  late_error: { ...text.active.late_error, docs: "monitoring.md, Audits" },
  signalling_flood: { ...text.active.signalling_flood, docs: "signalling.md, Path of a message" },
  link_silent: { ...text.active.link_silent, docs: "monitoring.md, Silent links" },
  link_unprobed: { ...text.active.link_unprobed, docs: "monitoring.md, Found links" },
  probe_flood: { ...text.active.probe_flood, docs: "northbound.md, Probes" },
  bad_probe: { ...text.active.bad_probe, docs: "monitoring.md, Found links" },
  probe_at_edge: { ...text.active.probe_at_edge, docs: "monitoring.md, Found links" },
  links_waiting: { ...text.active.links_waiting, docs: "monitoring.md, Found links" },
  shared_segment: { ...text.active.shared_segment, docs: "northbound.md, GET /v1/alarms" },
  aggregation_cost: { ...text.active.aggregation_cost, docs: "alarms.md, Aggregation at switch" },
  out_of_reach: { ...text.active.out_of_reach, docs: "changes.md, Announcements out of reach" },
  unrepaired: { ...text.active.unrepaired, docs: "monitoring.md, Audits" },
  disk_low: { ...text.active.disk_low, docs: "failures.md, When resources run out" },
  bad_schedule: { ...text.active.bad_schedule, docs: "alarms.md, Alarms" },
  skipped: { ...text.active.skipped, docs: "alarms.md, Alarms" },
  task_fails: { ...text.active.task_fails, docs: "alarms.md, Alarms" },
};

const PAST: readonly [RegExp, Meaning][] = [
  [/^audit \d+/, { ...text.past.audit, docs: "monitoring.md, Audits" }],
  [/^aggregation at switch/, ACTIVE.aggregation_cost as Meaning],
  [/: (no path from|paths lead to|paths to all)/, ACTIVE.out_of_reach as Meaning],
  [/^task .* (has failed|works again)/, ACTIVE.task_fails as Meaning],
  [/(is|no longer) skipped|is restored as disabled/, ACTIVE.bad_schedule as Meaning],
  [/^disk of /, ACTIVE.disk_low as Meaning],
  [/^source check/, { ...text.past.sourceCheck, docs: "monitoring.md, The source check" }],
  [/could not write to the database/, { ...text.past.database, docs: "failures.md, When resources run out" }],
  [/^a web process refused/, { ...text.past.connections, docs: "failures.md, When resources run out" }],
  [/^host .* rejected /, { ...text.past.rejectedEvents, docs: "monitoring.md, Telemetry" }],
  [
    /^telemetry (of .* stops without an end|writer .* no final report)/,
    { ...text.past.silentWriter, docs: "monitoring.md, Telemetry" },
  ],
  [/^telemetry/, { ...text.past.telemetry, docs: "monitoring.md, Telemetry" }],
  [/controller does not answer/, { ...text.past.controller, docs: "operations.md, Processes" }],
  [
    /changes (the (ways|paths) of topics )?(in place|without a transition)/,
    { ...text.past.inPlace, docs: "changes.md, Migrating a topic without losing an event" },
  ],
  [/^the event space of topic .* no longer fits/, { ...text.past.spaceDrift, docs: "dimensions.md, Drift" }],
  [
    /^link .* went down/,
    { ...text.past.linkDown, docs: "monitoring.md, Monitoring of connections, ports and links" },
  ],
  [/does not support bundles/, { ...text.past.tightChange, docs: "changes.md, Within TCAM budgets" }],
  [
    /its table is planned for|planner now limits|is full/,
    { ...text.past.tableFull, docs: "changes.md, Within TCAM budgets" },
  ],
  [
    /was not (declared|registered)/,
    { ...text.past.newSwitch, docs: "monitoring.md, Monitoring of connections, ports and links" },
  ],
  [/^probes crossed .*waits? for approval: (nobody|probes|it is not)/, ACTIVE.links_waiting as Meaning],
  [/found by probes and added/, { ...text.past.linkAdded, docs: "monitoring.md, Found links" }],
  [
    /^probes crossed/,
    { ...text.past.otherLink, docs: "monitoring.md, Monitoring of connections, ports and links" },
  ],
  [
    /failed and is (taken back|reverted)/,
    { ...text.past.takenBack, docs: "changes.md, From a request to confirmed tables" },
  ],
  [/seal|forged|replayed/, { ...text.past.forged, docs: "signalling.md, Keys" }],
];

/** Meaning of an active alarm by its name. Null for an unknown alarm. */
export function meaningOfAlarm(alarm: string): Meaning | null {
  return ACTIVE[alarm] ?? null;
}

/** Meaning of a past alarm by its text. Null for an unknown text. */
export function meaningOfText(alarm: string): Meaning | null {
  const named = /^controller: (\w+) (raised|cleared)/.exec(alarm)?.[1];
  if (named) return meaningOfAlarm(named);
  return PAST.find(([pattern]) => pattern.test(alarm))?.[1] ?? null;
}
