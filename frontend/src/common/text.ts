import { formatDifference, formatQuantity } from "./formatting/figures";

/** "q1, q2, …": the first of `count` names. */
function someNames(names: readonly string[], count: number): string {
  if (names.length === 0) return "";
  return ` (${names.slice(0, 5).join(", ")}${count > Math.min(5, names.length) ? ", …" : ""})`;
}

const bound = (complete: boolean) => (complete ? "" : "at least ");
const digits = (value: number) => value.toLocaleString(undefined, { maximumSignificantDigits: 3 });

/** Texts of the parts that pages share. */
export const text = {
  close: "Close",
  closeDetails: "Close the details",
  cancel: "Cancel",
  loading: "Loading",
  tryAgain: "Try again",
  copy: { copy: "Copy", copied: "Copied", object: (object: string) => `Copy ${object}` },
  documentation: {
    link: "Learn more",
    title: (page: string) => `Documentation: docs/${page}`,
    missing: (page: string) => `The documentation has no page ${page}.`,
    code: "Code",
  },
  problem: {
    loggedOut: "Your log-in session has ended. The dashboard keeps your input.",
    logIn: "Log in (opens another tab)",
    thenRetry: "Then try again.",
    more: (count: number) =>
      count === 1 ? "1 more error is not listed." : `${count.toLocaleString()} more errors are not listed.`,
    retryAfter: (seconds: string) => `Try again in ${seconds} s.`,
    callId: "Call id:",
    line: (number: number) => `line ${number}`,
    item: (number: number) => `item ${number}`,
  },
  table: {
    total: (total: number) => `Total: ${total.toLocaleString()}`,
    totalAndPage: (total: number, rows: number) =>
      `Total: ${total.toLocaleString()}, ${rows.toLocaleString()} on this page`,
    page: (rows: number) => `${rows.toLocaleString()} on this page`,
    first: "First page",
    previous: "Previous page",
    next: "Next page",
    last: "Last page",
  },
  picker: { searching: "Searching…", none: "No match" },
  conflict: {
    changed: (field: string, value: string) =>
      `Another user changed this field. New value of ${field}: ${value}.`,
    takeTheirs: "Use the new value",
    takeTheirsOf: (field: string) => `Use the new value: ${field}`,
    keepMine: "Keep my value",
    keepMineOf: (field: string) => `Keep my value: ${field}`,
  },
  host: {
    title: "Register a host",
    registered: (name: string, port: string, at: string) =>
      `Host ${name} is registered at port ${port} of switch ${at}.`,
    name: "Name",
    switch: "Switch",
    noSwitch: "No matching switch",
    port: "Port",
    portHelp: "The number of the switch port that connects the host.",
    ports: (ports: readonly string[], complete: boolean) =>
      `Ports of the switch: ${ports.join(", ")}${complete ? "" : ", …"}`,
    ip: "IP address",
    ipHelp: "The switch at this port sends events to this address, for example fd00::1.",
    mac: "MAC address",
    macHelp: "The address of the host's interface, for example 02:00:00:00:00:01.",
    refused: "The host is not registered. Correct the marked fields.",
    register: "Register",
  },
  affected: {
    counting: "Counting the affected objects…",
    subscriptions: (complete: boolean, count: number, subscribers: number, names: readonly string[]) =>
      `${bound(complete)}${formatQuantity(count, "subscription")} of ${formatQuantity(subscribers, "subscriber")}${someNames(names, count)}`,
    advertisements: (complete: boolean, count: number, publishers: number) =>
      `${bound(complete)}${formatQuantity(count, "advertisement")} of ${formatQuantity(publishers, "publisher")}`,
    hosts: (complete: boolean, count: number, names: readonly string[]) =>
      `${bound(complete)}${formatQuantity(count, "host")}${someNames(names, count)}`,
    without: (complete: boolean, count: number) =>
      `${bound(complete)}${formatQuantity(count, "other subscription")} will have no matching advertisement`,
    entries: (count: number) =>
      count === 1
        ? "The withdrawals will remove 1 entry."
        : `The withdrawals will remove ${count.toLocaleString()} entries.`,
  },
  cost: {
    unchanged: "No switch needs more or fewer entries.",
    entries: (change: number, switches: number) =>
      `Entries: ${formatDifference(change)}, on ${formatQuantity(switches, "switch", "switches")}.`,
    exceeded: (switches: readonly string[], more: number) =>
      `The change exceeds the budget of ${switches.join(", ")}${more > 0 ? ` and ${more.toLocaleString()} more` : ""}. Raise the budget. If the aggregation method is none, choose another one (page Budgets, tab Policy).`,
    item: (number: number, detail: string) => `Item ${number}: ${detail}`,
    more: (count: number) =>
      count === 1 ? "1 more item is refused." : `${count.toLocaleString()} more items are refused.`,
    table: {
      label: "Entries by switch",
      switch: "Switch",
      before: "Entries now",
      after: "Entries after the change",
      afterValue: (after: number, difference: number) =>
        `${after.toLocaleString()} (${formatDifference(difference)})`,
      budget: "Budget",
      unlimited: "unlimited",
      exceeded: (budget: number | null) =>
        budget === null ? "exceeded" : `${budget.toLocaleString()}, exceeded`,
      more: (count: number) => (count === 1 ? "1 more switch" : `${count.toLocaleString()} more switches`),
    },
  },
  merging: {
    note: (changes: string) => `Changes to merged entries: ${changes}.`,
    merged: (count: number) =>
      `merging saves ${count.toLocaleString()} more ${count === 1 ? "entry" : "entries"}`,
    unmerged: (count: number) =>
      `merging saves ${count.toLocaleString()} fewer ${count === 1 ? "entry" : "entries"}`,
    changed: "merged entries changed",
    switches: (changes: string, names: readonly string[], more: number) =>
      `${changes}, on ${names.join(", ")}${more > 0 ? ` and ${more.toLocaleString()} more` : ""}`,
    /** The reason of the platform starts with "unknown". */
    unknownCost: (reason: string) => `The predicted cost is ${reason}`,
    /** Replaces the path of the API in the reason. */
    cost: (falsePositives: number, perSecond: number | null, redundant: number, together: number) => {
      const rate = perSecond === null ? "" : ` (${digits(perSecond)} per second)`;
      const requests =
        together > 1
          ? ` This is the total of ${together.toLocaleString()} requests, which the platform planned together.`
          : "";
      return `Predicted cost per event: ${digits(falsePositives)} false positives${rate} and ${digits(redundant)} redundant copies.${requests}`;
    },
  },
  reach: {
    badge: { none: "no path", partial: "paths missing" },
    none: "No matching host can be reached",
    partial: "Some matching hosts cannot be reached",
  },
  request: {
    link: (id: number) => `Request ${id}`,
    failed: "The request failed",
    failedState: "failed.",
    states: {
      queued: "waits for the planner.",
      planning: "is being planned.",
      deploying: "waits for the switches to confirm.",
      active: "is active. All switches have confirmed it.",
      withdrawn: "is withdrawn. All switches have confirmed it.",
    } as Record<string, string>,
  },
  /** Terms with a help icon. `definition` is the first paragraph below `heading` in docs/glossary.md. */
  terms: {
    cell: {
      question: "What is a cell?",
      definition:
        "A cell is a part of the event space: one range of values for each attribute that switches check. Its dz is the binary string that names it.",
      heading: "Cell",
    },
    entry: {
      question: "What is an entry?",
      definition:
        "An entry is a rule in the flow table of a switch. It matches the events of a cell and names their output ports.",
      heading: "Entry",
    },
    exactEntry: {
      question: "What are exact entries?",
      definition: "Exact entries are the entries that a switch needs without aggregation.",
      heading: "Exact entry",
    },
    installedEntry: {
      question: "What are installed entries?",
      definition: "Installed entries are the entries in the flow table of a switch after aggregation.",
      heading: "Installed entry",
    },
    mergedEntry: {
      question: "What are merged entries?",
      definition:
        "A merged entry replaces several exact entries of a switch, so that the table stays within its budget.",
      heading: "Merged entry",
    },
    plan: {
      question: "What is the plan?",
      definition: "The plan is the set of tables that the planner has calculated for the switches.",
      heading: "Plan",
    },
    falsePositive: {
      question: "What is a false positive?",
      definition: "A false positive is the delivery of an event to a host without a matching subscription.",
      heading: "False positive",
    },
    notIndexed: {
      question: "What is an attribute that is not indexed?",
      definition:
        "Switches do not check an attribute that is not indexed. So a host receives events with any value of this attribute. Exception: if this attribute has a cut (a value that divides the event space), switches check whether an event is below the cut.",
      heading: "Attribute not indexed",
    },
    truncation: {
      question: "What is truncation?",
      definition:
        "Truncation limits the number of cells of a filter and the length of their dz. So the cells can contain events that the filter excludes.",
      heading: "Truncation",
    },
    aggregation: {
      question: "What is aggregation?",
      definition:
        "Aggregation merges entries of a switch into fewer entries, to stay within its budget. This can cause false positives and redundant copies.",
      heading: "Aggregation",
    },
    redundantCopy: {
      question: "What is a redundant copy?",
      definition: "A redundant copy crosses a link, but no subscription beyond that link matches the event.",
      heading: "Redundant copy",
    },
    expected: {
      question: "What is an expected delivery?",
      definition: "A delivery is expected if at least one subscription of the host matches the event.",
      heading: "Expected",
    },
    delivered: {
      question: "What is a delivered event?",
      definition: "An event is delivered when its first copy arrives at a host.",
      heading: "Delivered",
    },
    duplicate: {
      question: "What is a duplicate?",
      definition: "A duplicate is a further copy of an event that a host has already received.",
      heading: "Duplicate",
    },
    budget: {
      question: "What is a budget?",
      definition: "The budget of a switch is the maximum number of entries for events in its flow table.",
      heading: "Budget",
    },
    seal: {
      question: "What is a seal?",
      definition:
        "A seal is a keyed hash in a message. It proves that the sender has the key. The content is not encrypted.",
      heading: "Seal",
    },
    tree: {
      question: "What is a tree?",
      definition:
        "A tree is a set of links without loops that connects all switches of one connected part of the network. It carries the events of some cells of a topic.",
      heading: "Tree",
    },
  },
  help: { more: "Open the glossary" },
};
