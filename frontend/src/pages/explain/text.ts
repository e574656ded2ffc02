/** Texts of the page "Explain". */
export const text = {
  title: "Explain",
  docs: "Debug a missing event",
  tracing: "Tracing the event through the planned tables and the real switches…",
  repeat: "Trace again",
  shareLink: "Share link:",
  link: "the link to this explanation",
  noPublisher: "No publishers yet. Set up a network with a host that publishes events.",
  setUp: "Set up a network",
  start:
    "Enter an event, or select a past event. The page shows the path of the event, and the entry that the event matches at each switch. It also shows which hosts receive the event, and why.",
  form: {
    publisher: "Publisher",
    noPublisher: "No matching publishers.",
    topic: "Topic",
    selectPast: "Select a past event…",
    noAdvertisement:
      "This publisher has no advertisement, so switches forward none of its events. Advertise a topic first.",
    submit: "Explain",
  },
  past: {
    title: "Past events",
    titleOf: (publisher: string) => `Past events of ${publisher}`,
    intro:
      "Tercast stores a sample of the published events. Select one to trace it through the current tables.",
    reported: "Reported",
    publisher: "Publisher",
    topic: "Topic",
    event: "Event",
    empty:
      "No past events yet. Hosts report samples of their events to /api/v1/traffic/samples/. The analytics job “Event samples” also reads events from telemetry.",
  },
  summary: {
    noAdvertisement: "The event is not sent: its publisher does not advertise the topic.",
    outsideAdvertisement: "The event is not sent: it is outside the advertisement.",
    notSent: (reason: string) => `The event is not sent. Reason: ${reason}.`,
    delivered: (hosts: number) =>
      hosts === 0
        ? "The event reaches no host with a matching subscription."
        : hosts === 1
          ? "1 host with a matching subscription receives the event."
          : `${hosts} hosts with a matching subscription receive the event.`,
    falsePositives: (hosts: number) =>
      hosts === 1
        ? "1 host receives it as a false positive."
        : `${hosts} hosts receive it as a false positive.`,
    missing: (hosts: number) =>
      hosts === 1
        ? "1 host with a matching subscription does not receive the event."
        : `${hosts} hosts with a matching subscription do not receive the event.`,
  },
  event: {
    sender: "Publisher",
    at: (publisher: string, host: string) => `${publisher} at ${host}`,
    atPort: (publisher: string, host: string, port: number, name: string) =>
      `${publisher} at ${host} (port ${port} of ${name})`,
    advertisement: "Advertisement",
    filter: (advertisement: string, filter: string | null) =>
      `${advertisement}: ${filter ?? "unknown filter (the host announced only cells)"}`,
    cuts: "Cuts",
    cut: (attribute: string, value: unknown, less: boolean) =>
      `${attribute} < ${JSON.stringify(value)}: ${less ? "yes" : "no"}`,
    dz: "dz",
    wholeSpace: "the whole event space",
    address: "Address",
    tree: "Tree",
    loop: "The event is in a loop",
    loopRemedy: "Audit and repair the tables (page Health and audit, tab Drift and audits).",
  },
  real: {
    matches: "The real switches match the plan.",
    traced: "The real switches match the plan (checked by a trace in Open vSwitch).",
    readBack: "The real switches match the plan (checked by reading their tables).",
    tracedAndReadBack:
      "The real switches match the plan (checked by traces in Open vSwitch and by reading tables).",
    partly: "The switches that could be checked match the plan.",
    differs: "The real switches differ from the plan",
    unchecked: (switches: string) => `Not checked: ${switches}`,
    uncheckedSwitch: (name: string, detail: string) => `${name} (${detail})`,
    lost: (host: string) => `${host} does not receive the event.`,
    lostAt: (host: string, name: string) =>
      `${host} does not receive the event. The cause is switch ${name}.`,
    surplus: (hosts: string) =>
      `Hosts that receive the event, although the plan does not send it to them: ${hosts}.`,
  },
  path: {
    title: "Path",
    ingressPort: (port: number) => `ingress port ${port}`,
    noEntry: "no entry matches, so the switch drops the event",
    match: (destination: string, port: number | null) =>
      port === null ? destination : `${destination}, ingress port ${port}`,
    priority: (priority: number) => `priority ${priority}`,
    origins: {
      exact: "exact entry",
      aggregated: "merged entry",
      unplanned: "not in the plan",
    },
    serves: (names: string, count: number) =>
      count === 1 ? `needed by subscription ${names}` : `needed by subscriptions ${names}`,
    port: (port: number) => `port ${port}`,
    to: (name: string) => `to ${name}`,
    forMatch: (names: string, count: number) =>
      count === 1 ? `for subscription ${names}` : `for subscriptions ${names}`,
    forTruncation: (names: string) =>
      `false positive: the cells of ${names} contain the event, but the filter does not match`,
    forNobody: "redundant copy: no subscription needs it",
    names: (names: string, more: number) => (more > 0 ? `${names} and ${more} more` : names),
  },
  hosts: {
    title: "Hosts",
    host: "Host",
    received: "Received",
    reason: "Reason",
    details: "Details",
    yes: "yes",
    no: "no",
    copies: (count: number) => `yes, ${count} copies`,
    subscription: (name: string, subscriber: string | null, filter: string | null, reason: string) =>
      `${name} of ${subscriber ?? "?"}: ${filter ?? "unknown filter (the host announced only cells)"} (${reason})`,
    moreSubscriptions: (count: number) =>
      count === 1 ? "1 more subscription" : `${count.toLocaleString()} more subscriptions`,
    search: "Search hosts",
    showOthers: (count: number) =>
      count === 1
        ? "Show 1 host without a subscription to the topic"
        : `Show ${count.toLocaleString()} hosts without a subscription to the topic`,
    noMatch: "No matching hosts.",
    empty: "No host has a subscription to this topic, so no host receives the event.",
  },
  /** Short names of the reasons that the server sends. */
  reasons: {
    match: "matching subscription",
    truncation: "false positive: truncation",
    aggregation: "false positive: aggregation",
    stale_entry: "false positive: entry not in the plan",
    entry_missing: "missing entry",
    foreign_entry: "entry of another program",
    other_entry: "another entry matches",
    other_ports: "entry sends to other ports",
    other_action: "entry has another action",
    other_wiring: "link leads to another switch",
    unreachable: "no working path",
    switch_down: "switch out of service",
    host_down: "host without an active port",
    no_advertisement: "no advertisement",
    outside_advertisement: "outside the advertisement",
    not_active: "subscription not active yet",
    failed: "subscription failed",
    withdrawn: "subscription withdrawn",
    no_match: "no matching subscription",
    no_subscription: "no subscription to the topic",
  } as Readonly<Record<string, string>>,
  /** One sentence about those reasons whose name is not enough. */
  explanations: {
    truncation:
      "The cells of a subscription contain the event, but the filter of the subscription does not match it. Cells ignore attributes that switches do not check. The number of cells and the length of their dz are limited.",
    aggregation:
      "A merged entry on the path sends the event. Merged entries keep the table of a switch within its budget.",
    stale_entry: "An entry on the path is not in the plan. The switch has not confirmed its removal yet.",
    entry_missing:
      "A subscription matches, but a switch on the path does not have the entry that leads to the host.",
    no_advertisement: "The publisher does not advertise the topic, so the event is not sent.",
    outside_advertisement: "The event is outside the advertisement of its publisher, so it is not sent.",
  } as Readonly<Record<string, string>>,
};
