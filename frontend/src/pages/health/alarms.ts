// What alarms mean, and what to do about them; by how their text begins, or by their name.

export interface Meaning {
  title: string;
  meaning: string;
  remedy: string;
  /** Page of the documentation and its heading. */
  docs: string;
}

const STANDING: Record<string, Meaning> = {
  duplicate_dpid: {
    title: "Two switches with one datapath id",
    meaning: "The second one was refused; the first stays.",
    remedy: "Give one of them another datapath id. It ends 60 s after the last try.",
    docs: "northbound.md, GET /v1/alarms",
  },
  openflow_version: {
    title: "A switch without OpenFlow 1.3",
    meaning: "It was refused.",
    remedy: "Let it speak OpenFlow 1.3 (Open vSwitch: protocols=OpenFlow13).",
    docs: "northbound.md, GET /v1/alarms",
  },
  bad_dpid: {
    title: "A switch with datapath id 0",
    meaning: "It was refused.",
    remedy: "Give it a datapath id of its own.",
    docs: "northbound.md, GET /v1/alarms",
  },
  broken_connection: {
    title: "Something that is no OpenFlow",
    meaning: "A peer sent what cannot be read, or an unknown version.",
    remedy: "See what connects to the controller's port from this address.",
    docs: "northbound.md, GET /v1/alarms",
  },
  setup_failed: {
    title: "A switch that does not answer",
    meaning: "It was cut off right after its hand-shake.",
    remedy: "It ends when the switch connects; if it does not, see the switch's own log.",
    docs: "northbound.md, GET /v1/alarms",
  },
  switch_problem: {
    title: "A switch lacks what is needed",
    meaning: "It connected without something that Tercast relies on, or refused it.",
    remedy: "See its problems under Switches; it ends when they do.",
    docs: "northbound.md, GET /v1/alarms",
  },
  late_error: {
    title: "A switch refused a change after it had confirmed it",
    meaning: "Its table may not be what the plan says.",
    remedy: "Audit this switch: what differs is told and repaired.",
    docs: "monitoring.md, Audits",
  },
  signalling_flood: {
    title: "A host sends too many control messages",
    meaning: "What is beyond its share is dropped.",
    remedy: "See the host at this port; the shares are in docs/signalling.md.",
    docs: "signalling.md, Path of a message",
  },
  link_silent: {
    title: "Probes no longer cross a link",
    meaning: "Its ports are up. It stays in use: lost probes do not prove that events are lost.",
    remedy:
      "Check that the link forwards. If it does not, set it down on the Network page; trees then leave it.",
    docs: "monitoring.md, Silent links",
  },
  link_unprobed: {
    title: "No probe has crossed a link",
    meaning:
      "It is part of the network and its ports are up, but discovery has not seen it since the controller started.",
    remedy:
      "Check that the cable ends where the topology says. The link stays in use until its port goes down.",
    docs: "monitoring.md, Found links",
  },
  probe_flood: {
    title: "A host sends too many LLDP frames",
    meaning: "What is beyond the port's share is dropped. Links at other ports are not affected.",
    remedy: "Find the host at this port, or disable the port.",
    docs: "northbound.md, Probes",
  },
  bad_probe: {
    title: "A discovery probe that is not genuine",
    meaning: "It has no seal or another key's, or it was recorded and sent again; it counts for nothing.",
    remedy: "See what is connected to this port: a host that forges probes, or another installation.",
    docs: "monitoring.md, Found links",
  },
  probe_at_edge: {
    title: "A probe came in at a host's port",
    meaning: "Hosts relay probes, or the port is cabled to a switch. No link is made of it without approval.",
    remedy: "See the host at this port, and whether it is declared at the right one.",
    docs: "monitoring.md, Found links",
  },
  links_waiting: {
    title: "Found links wait for approval",
    meaning: "Probes cross links that nobody declared; they are not used.",
    remedy: "Approve or reject them on page Health, tab Found links.",
    docs: "monitoring.md, Found links",
  },
  shared_segment: {
    title: "Several ports answer at one port",
    meaning: "A hub, or a switch that floods probes, lies between; what is ambiguous is no link.",
    remedy: "Connect switches to each other directly.",
    docs: "northbound.md, GET /v1/alarms",
  },
  aggregation_cost: {
    title: "Merged entries cost what nobody expected",
    meaning: "Measured and expected needless copies part by more than a factor of two.",
    remedy: "More than expected: aggregate again on the Budgets page. Less needs nothing.",
    docs: "alarms.md, Aggregation at switch",
  },
  out_of_reach: {
    title: "Subscriptions without a path to their publishers",
    meaning:
      "They match, but no path of links and switches that are up joins their hosts: events do not arrive.",
    remedy: "Add a link, or bring up the link or switch that is down (page Network). It ends by itself then.",
    docs: "changes.md, Announcements out of reach",
  },
  unrepaired: {
    title: "A table that no audit could repair",
    meaning: "The switch holds other entries than the plan says.",
    remedy: "The detail says why; the next audit that finds it equal, or repairs it, ends this.",
    docs: "monitoring.md, Audits",
  },
  bad_schedule: {
    title: "A periodic task that cannot run",
    meaning: "It is skipped; beat, sweeps and all other tasks go on.",
    remedy: "Change it in the admin pages, or disable it.",
    docs: "alarms.md, Alarms",
  },
  skipped: {
    title: "A row that a periodic task skips",
    meaning: "Working at it fails; the others go on.",
    remedy: "The detail says why; the traceback is in the worker's log.",
    docs: "alarms.md, Alarms",
  },
  task_fails: {
    title: "A periodic task that keeps failing",
    meaning: "What it does is not done.",
    remedy: "The detail has the error; the traceback is in the worker's log.",
    docs: "alarms.md, Alarms",
  },
};

const TOLD: readonly [RegExp, Meaning][] = [
  [
    /^audit \d+/,
    {
      title: "An audit found a difference",
      meaning: "Somebody changed a table behind Tercast's back, or a switch lost entries.",
      remedy: "The audit lists each entry; with repair the table is made equal to the plan.",
      docs: "monitoring.md, Audits",
    },
  ],
  [/^aggregation at switch/, { ...(STANDING.aggregation_cost as Meaning), title: "Cost of merged entries" }],
  [/: (no path from|paths lead to)/, STANDING.out_of_reach as Meaning],
  [/^task .* (has failed|works again)/, STANDING.task_fails as Meaning],
  [/(is|no longer) skipped|is restored as disabled/, STANDING.bad_schedule as Meaning],
  [
    /^telemetry of .* stops without an end/,
    {
      title: "A writer of telemetry fell silent",
      meaning: "It was killed or is cut off: what it took after that time is missing.",
      remedy: "Start it again; results of that time count events as lost that were not.",
      docs: "monitoring.md, Telemetry",
    },
  ],
  [
    /^telemetry/,
    {
      title: "Telemetry",
      meaning: "Rows are lost, or cannot be written for now.",
      remedy: "Make room on the disk, or lower the days that are kept; see Telemetry here.",
      docs: "monitoring.md, Telemetry",
    },
  ],
  [
    /controller does not answer/,
    {
      title: "The controller is away",
      meaning: "No table can be changed; switches go on forwarding with what they have.",
      remedy: "Start the controller again: it reads every switch back and sends what it lacks.",
      docs: "operations.md, Processes",
    },
  ],
  [
    /changes the (ways|paths) of topics in place/,
    {
      title: "A topic was changed in place",
      meaning:
        "There was no room or no time for both tables; events may have been lost or doubled meanwhile.",
      remedy: "Nothing, once it is active. More room in the tables avoids it.",
      docs: "changes.md, Moving a topic without losing an event",
    },
  ],
  [
    /^link .* went down/,
    {
      title: "A link went down under traffic",
      meaning: "Packets that were sent into it are lost; trees have been led around it.",
      remedy: "Bring the link back: it is taken in by itself.",
      docs: "monitoring.md, Watching",
    },
  ],
  [
    /its table is planned for|is full|bundles/,
    {
      title: "A table has less room than declared",
      meaning: "Its table is planned with what the switch was found to have room for.",
      remedy: "Set its budget to what it holds, or aggregate on the Budgets page.",
      docs: "changes.md, Within TCAM budgets",
    },
  ],
  [
    /was not declared/,
    {
      title: "A switch that nobody declared",
      meaning: "It is taken in under its datapath id.",
      remedy: "Give it a label on the Network page, or remove it and unplug it.",
      docs: "monitoring.md, Watching",
    },
  ],
  [/^probes crossed .*waits for approval: (nobody|probes)/, STANDING.links_waiting as Meaning],
  [
    /found by probes and added/,
    {
      title: "A link that nobody declared",
      meaning: "Probes cross it, and the policy adds such links.",
      remedy: "Remove it on the Network page if it should not be there.",
      docs: "monitoring.md, Found links",
    },
  ],
  [
    /^probes crossed/,
    {
      title: "A link where something else was declared",
      meaning: "Probes cross between two ports, one of which is declared to lead elsewhere.",
      remedy: "Correct the declaration, or the cabling.",
      docs: "monitoring.md, Watching",
    },
  ],
  [
    /failed and is taken back/,
    {
      title: "A request was taken back",
      meaning: "A switch refused what the request needed after it was planned.",
      remedy: "The request says why and what to do.",
      docs: "changes.md, From a request to confirmed tables",
    },
  ],
  [
    /seal|forged|replayed/,
    {
      title: "A control message that is not what it seems",
      meaning: "Its seal is missing, wrong or old; nothing was changed.",
      remedy: "See the refusals under Signalling, and the host's key.",
      docs: "signalling.md, Keys",
    },
  ],
];

/** The meaning of an alarm that stands, by its name; null for one that is not known here. */
export function meaningOfAlarm(alarm: string): Meaning | null {
  return STANDING[alarm] ?? null;
}

/** The meaning of an alarm that was told, by its text. */
export function meaningOfText(text: string): Meaning | null {
  const named = /^controller: (\w+) (raised|cleared)/.exec(text)?.[1];
  if (named) return meaningOfAlarm(named);
  return TOLD.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}
