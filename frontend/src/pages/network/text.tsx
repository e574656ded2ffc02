import type { ReactNode } from "react";
import { text as common } from "@/common/text";

const number = (count: number) => count.toLocaleString();
const switches = (count: number) => (count === 1 ? "1 switch" : `${number(count)} switches`);
const links = (count: number) => (count === 1 ? "1 link" : `${number(count)} links`);
const entries = (count: number) => (count === 1 ? "1 entry" : `${number(count)} entries`);
const events = (count: number) => (count === 1 ? "1 event" : `${number(count)} events`);

/** Texts of the page "Network". */
export const text = {
  title: "Network",
  loading: common.loading,
  details: "Details",
  closeDetails: "Close details",
  none: "No switches yet. Start the demo network, import a topology, or connect a switch.",
  setUp: "Set up a network",
  traceEvent: "Trace event",
  hopsLabel: "Neighbourhood",
  hops: { all: "All", one: "1 hop", two: "2 hops", three: "3 hops" },
  /** Changes for screen readers: some sentences, and the number of further changes. */
  news: (sentences: readonly string[], more: number) => {
    const shown = sentences.join(" ");
    if (more <= 0) return shown;
    return more === 1 ? `${shown} There is 1 more change.` : `${shown} There are ${more} more changes.`;
  },
  wholeSpace: "the whole event space",
  byDz: "unknown filter (the host announced only cells)",
  everyEvent: "every event",
  unlimited: "unlimited",

  changes: {
    added: (name: string) => `Switch ${name} was added.`,
    removed: (name: string) => `Switch ${name} was removed.`,
    state: (name: string, state: string) => `Switch ${name} is ${state}.`,
    full: (name: string) => `The table of ${name} is full.`,
    linkUp: (a: string, b: string) => `The link from ${a} to ${b} is up again.`,
    linkDown: (a: string, b: string) => `The link from ${a} to ${b} is down.`,
  },

  /** `down`: an operator has taken the switch out of service. */
  states: { connected: "connected", away: "not connected", down: "out of service" },
  up: "up",
  down: "down",

  counters: {
    published: "Published",
    expected: "Expected",
    delivered: "Delivered",
    lost: "Lost",
    duplicates: "Duplicates",
    falsePositives: "False positives",
    delay: "Delay, median · 99th percentile",
    entries: "Entries",
    rate: (perSecond: string) => `${perSecond}/s`,
    percent: (percent: string) => `${percent} %`,
    delays: (p50: string, p99: string) => `${p50} · ${p99} ms`,
    full: (count: number) => (count === 1 ? "1 full table" : `${count} full tables`),
  },

  list: {
    search: "Search switches and hosts",
    placeholder: "Switch or host",
    label: "Switches",
    noMatch: (typed: string) => `No matching switches or hosts for “${typed}”.`,
    none: "No switches to show.",
    count: (shown: number, all: number) =>
      shown === all ? switches(all) : `${number(shown)} of ${switches(all)}`,
    host: (name: string) => `host ${name}`,
    problems: (count: number) => (count === 1 ? "1 problem" : `${count} problems`),
    entries,
  },

  describe: {
    group: (count: number, fill: string) =>
      `${switches(count)}. The fullest table uses ${fill} of its limit. Click to zoom in.`,
    host: (name: string, port: number, at: string) => `Host ${name} at port ${port} of ${at}`,
    named: (label: string, name: string) => `${label} (${name})`,
    switch: (name: string, state: string, table: string) => `${name}: ${state}, ${table}`,
    table: (count: number, limit: number, fill: string) => `${number(count)} of ${entries(limit)}, ${fill}`,
    unlimitedTable: (count: number) => `${entries(count)}, unlimited`,
    link: (a: string, aPort: number, b: string, bPort: number, load: string) =>
      `${a} port ${aPort} to ${b} port ${bPort}: ${load}`,
    selected: (about: string, neighbours: readonly string[], more: number) => {
      if (neighbours.length === 0) return `${about}. No neighbours.`;
      const names = neighbours.join(", ");
      return `${about}. Neighbours: ${more > 0 ? `${names} and ${more} more` : names}.`;
    },
    load: (packets: string, bits: string) => `${packets} packets/s, ${bits}bit/s`,
    loadUnknown: "load unknown",
  },

  graph: {
    label: (switchCount: number, linkCount: number) =>
      `Topology: ${switches(switchCount)}, ${links(linkCount)}`,
    keys: "Arrow keys select the neighbour in that direction. Plus and minus change the zoom. 0 shows the whole topology. Escape clears the selection. The list of switches contains the same information as text.",
    zoomIn: "Zoom in",
    zoomOut: "Zoom out",
    showAll: "Show all",
  },

  legend: {
    label: "Legend",
    tables: "Table fill",
    low: "below 50 %",
    half: "50 % or more",
    high: "80 % or more",
    full: "full",
    notConnected: "not connected",
    links: "Links, packets/s",
    /** By level of the load. */
    loads: ["0", "below 10", "10 or more", "100 or more", "1,000 or more"],
    tree: "tree",
    path: "path of the event",
  },

  tree: {
    show: "Show tree…",
    none: "No trees yet",
    noMatch: "No matching trees",
    option: (topic: string, name: string, root: string) => `${topic}: ${name}, root ${root}`,
    gone: "This tree no longer exists. Its topic uses other trees now, or has no advertisement.",
    about: (name: string, topic: string, root: string, linkCount: number, dz: ReactNode, more: number) => (
      <>
        Tree {name} of topic {topic}: root {root}, {links(linkCount)}, dz {dz}
        {more > 0 ? ` and ${number(more)} more` : ""}
      </>
    ),
    rootNote: "root of the tree",
    note: "in the tree",
    pathStart: "the event enters here",
    pathNote: (count: number) => `the event, after ${links(count)}`,
  },

  entries: {
    table: (name: string) => `Entries of ${name}`,
    noMatch: (name: string) => `No entries of ${name} match the filters.`,
    none: "The table is empty. No event with a matching subscription passes this switch.",
    showAll: "Show all entries",
    counters: (at: ReactNode) => (
      <>Counters of the switch, read at {at}. Select an entry to see its subscriptions.</>
    ),
    match: "Match",
    unknownTopic: "unknown topic",
    /** Topic and region of an entry, and its ingress port. */
    meaning: (topic: string, region: string | null, port: number | null) => {
      const events = region === null ? topic : `${topic}: ${region}`;
      return port === null ? events : `${events}, ingress port ${port}`;
    },
    outputs: "Output ports",
    noOutput: "none (dropped)",
    ingressPort: "ingress port",
    hostOutput: (host: string, port: string | number) => `${host} (${port})`,
    packets: "Packets",
    topicFilter: "Topic",
    dzFilter: "Overlap with the cell (dz)",
    portFilter: "Ingress port",
    any: "Any",
    dzRule: "Use only 0 and 1.",
  },

  origin: {
    region: "Subscriptions of the entry",
    heading: (dz: ReactNode) => <>Subscriptions of the entry {dz}</>,
    kinds: {
      exact: "Exact entry: each output port leads to a matching subscription.",
      aggregated:
        "Merged entry: it keeps the table within the budget. It also forwards events that no subscription matches.",
      unplanned:
        "This entry is not in the plan, and the switch has not confirmed its removal yet. If the entry remains, audit the switch (page Health and audit).",
    },
    subscription: (subscriber: ReactNode, host: string, filter: ReactNode) => (
      <>
        {subscriber} at {host}: {filter}
      </>
    ),
    more: (count: number) =>
      count === 1 ? "and 1 more subscription" : `and ${number(count)} more subscriptions`,
    address: (destination: string, priority: number) =>
      `destination address ${destination}, priority ${priority}`,
  },

  merged: {
    table: (name: string) => `Merged entries of ${name}`,
    subscriptions: "Subscriptions",
    redundant: "Redundant copies",
    window: (count: number) => `of ${events(count)}`,
    predicted: (count: string) => `${count} predicted`,
    none: "No merged entries on this switch.",
    heading: "Subscriptions of the entry",
    subscription: (name: ReactNode, subscriber: string, filter: ReactNode) => (
      <>
        {name} of {subscriber}: {filter}
      </>
    ),
    more: "and more",
  },

  path: {
    tracing: "Tracing the event",
    none: "No active advertisements. You can trace only events that a publisher advertises.",
    advertisement: "Advertisement",
    option: (publisher: string, topic: string, filter: string) => `${publisher}: ${topic}, ${filter}`,
    trace: "Trace",
    problem: (problem: string) => `The event is not sent: ${problem}.`,
    heading: "Path",
    afterLinks: (count: number, all: number) => `after ${count} of ${links(all)}`,
    slider: "Number of links to show",
    hop: (name: ReactNode, entry: ReactNode, kind: string | null, outputs: readonly string[]) => (
      <>
        {name}: entry {entry}
        {kind === null ? "" : ` (${kind})`}, {outputs.length === 0 ? "dropped" : `to ${outputs.join(", ")}`}
      </>
    ),
    noEntry: (name: ReactNode) => <>{name}: no matching entry</>,
    /** Kinds of entries that are not exact. */
    kinds: { aggregated: "merged entry", unplanned: "not in the plan" } as Record<string, string>,
    port: (port: number | string) => `port ${port}`,
    loops: "The event is in a loop.",
    received: "Received by",
    notReceived: "Not received by",
    nobody: "No host receives the event.",
    verdict: (host: ReactNode, detail: string) => (
      <>
        {host}: {detail}
      </>
    ),
    moreHosts: (count: number) => (count === 1 ? "and 1 more host" : `and ${count} more hosts`),
    differences: "The switches differ from the plan",
    explain: "Open this event on the page Explain",
  },

  budget: {
    status: (budget: number | null, installed: number, exact: number, capacity: number | null) =>
      [
        budget === null ? "No budget: unlimited entries." : `Budget: ${number(budget)}.`,
        `Installed: ${entries(installed)}.`,
        ...(exact === installed ? [] : [`Exact (without aggregation): ${entries(exact)}.`]),
        ...(capacity === null ? [] : [`Capacity of the switch: ${entries(capacity)}.`]),
      ].join(" "),
    label: "Budget (entries for events)",
    help: "Leave empty for no limit",
    set: "Set budget",
    saved: (name: string) => `The budget of ${name} is set.`,
    working: "The planner calculates the table. Then the switches confirm it.",
    refused: (budgets: ReactNode) => (
      <>
        The budget is unchanged. Enter a larger number, or choose another aggregation method on the page{" "}
        {budgets}, tab Policy.
      </>
    ),
    budgetsPage: "Budgets",
  },

  curve: {
    label: "Cost of other budgets (redundant copies and false positives)",
    methods: {
      "fa-lb": "fa-lb: by the load of publishers",
      "fa-pb": "fa-pb: by past events",
      optimal: "optimal: fewest copies and false positives",
    },
    calculate: "Calculate",
    calculating: "Calculating",
    none: "The switch has no entries, so no budget causes redundant copies or false positives.",
    chart: "Redundant copies and false positives by budget",
    table: "Budget curve",
    budget: "Budget",
    entries: "Entries",
    redundant: "Redundant copies",
    falsePositives: "False positives",
    unreachable: "cannot be met by merging",
    basis: (count: number) =>
      `Predicted per event in the whole network, calculated from ${count === 1 ? "1 past event" : `${number(count)} past events`}.`,
    budgetAxis: "Budget (entries)",
    perEvent: "per event",
    redundantSeries: "redundant copies",
    falsePositivesSeries: "false positives",
  },

  host: {
    missing: (name: string) => `Host ${name} does not exist. It may have been removed.`,
    place: (port: number, at: ReactNode) => (
      <>
        Host at port {port} of switch {at}
      </>
    ),
    delivered: "Delivered",
    deliveredCount: events,
    notReported: "not reported yet",
    falsePositives: "False positives",
    falsePositiveCount: (count: number, share: string | null) =>
      share === null ? number(count) : `${number(count)} (${share} of delivered events)`,
    lastEvent: "Last event",
    noEvent: "none reported",
    address: "Address",
    mac: "MAC address",
    registration: "Registered by",
    inBand: "in-band signalling",
    api: "REST API",
    lastMessage: "Last control message",
    namesAndFilters: "Name and filters",
    lastSeen: "Last seen",
    never: "never",
    filter: (topic: string, filter: ReactNode) => (
      <>
        {topic}: {filter}
      </>
    ),
    more: (count: number) => `and ${number(count)} more`,
    publishers: {
      title: "Publishers at this host",
      events: "Published",
      none: "No publishers at this host.",
      noFilters: "no advertisements",
      showAll: "Show all publishers",
    },
    subscribers: {
      title: "Subscribers at this host",
      events: "Delivered",
      none: "No subscribers at this host.",
      noFilters: "no subscriptions",
      showAll: "Show all subscribers",
    },
  },

  link: {
    title: (id: number) => `Link ${id}`,
    missing: (id: number) => `Link ${id} does not exist. It may have been removed.`,
    ends: (a: string, b: string) => `${a} – ${b}`,
    from: "From",
    to: "To",
    end: (name: ReactNode, port: number) => (
      <>
        {name}, port {port}
      </>
    ),
    load: "Load, both directions",
    noTraffic: "no traffic",
    cost: "Link cost",
    lost: "Lost packets",
    lostCount: (count: number) =>
      count === 1 ? "1 packet did not arrive" : `${number(count)} packets did not arrive`,
    noneLost: "none detected",
    chart: "Load of the link since you opened the page",
    packets: "packets/s",
    chartStarts: "The chart starts now. Counters are read every two seconds.",
    takeOut: "Take out of service",
    putIn: "Put into service",
    takeOutTitle: (ends: string) => `Take the link ${ends} out of service?`,
    putInTitle: (ends: string) => `Put the link ${ends} into service?`,
    takeOutHelp:
      "Trees then use other links. If there is no other path to a host, the host no longer receives events.",
    putInHelp:
      "Trees can then use this link again. Put it into service only if it works. Otherwise events on this link are lost.",
    takenOut: "The link is out of service.",
    putBack: "The link is in service again.",
  },

  switch: {
    missing: (name: string) => `Switch ${name} does not exist. It may have been removed.`,
    tabs: { entries: "Entries", ports: "Ports", budget: "Budget", merged: "Merged entries" },
    datapath: (dpid: ReactNode, address: string) => (
      <>
        Datapath {dpid}
        {address ? `, connected from ${address}` : ""}
      </>
    ),
  },

  ports: {
    table: (name: string) => `Ports of ${name}`,
    none: "The ports are unknown, because the switch has not connected yet.",
    port: "Port",
    peer: "Connected to",
    state: "State",
    linkTo: (name: string) => `Link to ${name}`,
    linkDown: "link down",
    unknown: "unknown",
  },
};
