import type { ReactNode } from "react";
import { text as common } from "@/common/text";

const switches = (count: number) => (count === 1 ? "1 switch" : `${count} switches`);
const listed = (items: readonly string[], more: number) =>
  more > 0 ? `${items.join(", ")} and ${more} more` : items.join(", ");

/** Texts of the page "Budgets". */
export const text = {
  title: "Budgets",
  docs: "Documentation: set budgets",
  loading: common.loading,
  close: common.close,
  tabs: { switches: "Switches", compare: "Compare methods", runs: "Runs", policy: "Policy" },
  unlimited: "unlimited",
  samplingRule: "Enter a number above 0 and at most 1.",

  /** Of each aggregation method. */
  methods: {
    none: "No aggregation. The platform refuses a request that exceeds a budget.",
    la: "Local aggregation. The platform merges entries immediately when a request exceeds a budget. The method considers one switch at a time and no past events.",
    "fa-lb":
      "Flow-aware aggregation with the load of publishers. When a request exceeds a budget, this method is like la. In addition, each run uses the number of events of each publisher to choose the entries to merge.",
    "fa-pb":
      "Flow-aware aggregation with past events. When a request exceeds a budget, this method is like la. In addition, each run uses past events to choose the entries to merge.",
    optimal:
      "Flow-aware aggregation of the whole network. It is like fa-pb, but each run considers all switches together. Cells that would cause many false positives are not merged. This method has the fewest redundant copies and false positives, but takes longest to calculate.",
  } as Record<string, string>,

  alarms: {
    title: "The cost of merged entries is not as predicted",
    row: (name: ReactNode, measured: string, expected: string, since: ReactNode) => (
      <>
        {name}: measured {measured} redundant copies per event, predicted {expected}, since {since}
      </>
    ),
    remedy:
      "The merged entries were chosen with past events, and current events are different. If the measured number is larger, start a run on the tab Runs: it uses the newest events. If it is smaller, do nothing.",
  },

  switches: {
    table: "Switches",
    search: "Search",
    searchPlaceholder: "Name or label",
    selectAll: "Select all listed switches",
    select: (name: string) => `Select ${name}`,
    selected: (count: number) => `${count} selected`,
    clear: "Clear selection",
    setBudget: "Set budget…",
    name: "Switch",
    budget: "Budget",
    capacity: "Capacity",
    capacityUnknown: "unknown",
    exact: "Exact entries",
    installed: "Installed entries",
    fill: "Table fill",
    fillOf: (percent: number, limit: string) => `${percent} % of ${limit} entries`,
    redundant: "Redundant copies",
    noMatch: "No matching switches.",
    showAll: "Show all switches",
    none: "No switches yet. Connect a switch, import a topology, or start the demo network.",
    setUp: "Set up a network",
    legend: "Exact entries: without aggregation. Installed entries: after aggregation.",
    redundantOfRun: (run: number, at: ReactNode) => (
      <>
        Redundant copies: predicted per event, calculated by run {run} at {at}.
      </>
    ),
    redundantUnknown: "Redundant copies are known after the first run (tab Runs).",
  },

  panel: {
    title: (name: string, label: string) => (label ? `${name}, ${label}` : name),
    budget: "Budget (entries for events)",
    capacity: "Capacity",
    exact: "Exact entries",
    installed: "Installed entries",
    fill: "Table fill",
    entries: (count: string) => `${count} entries`,
    capacityUnknown: "unknown (the switch reported no limit and refused no entry)",
    exactCount: (count: string) => `${count} without aggregation`,
    installedMerged: (count: string, saved: string, change: string) =>
      `${count}: merging saves ${saved} entries (${change})`,
    setBudget: "Set budget…",
    showEntries: "Show entries",
    curve: "Cost of other budgets (redundant copies and false positives)",
    curveHelp:
      "Predicted for the whole network, calculated from past events. All other switches keep their tables.",
    merged: "Merged entries",
  },

  curve: {
    method: "Aggregation method",
    calculate: "Calculate",
    calculating: "Calculating. This takes one minute at most.",
    noSamples:
      "The platform calculates the curve from samples (past events), but none are stored. Hosts can report samples, or the analytics job “Event samples” reads them from telemetry.",
    chart: (name: string, method: string) =>
      `Redundant copies and false positives by budget of ${name}, ${method}`,
    samples: (count: string) => `Calculated from ${count} past events.`,
    table: (name: string) => `Budget curve of ${name}`,
    budget: "Budget",
    entries: "Entries",
    redundant: "Redundant copies per event",
    falsePositives: "False positives per event",
    unreachable: "cannot be met by merging",
    actions: "Set the budget",
    set: "Set…",
    setTo: (budget: number) => `Set a budget of ${budget}`,
    budgetAxis: "Budget (entries)",
    perEvent: "per event",
    redundantSeries: "redundant copies",
    falsePositivesSeries: "false positives",
    current: "current",
  },

  dialog: {
    title: (names: readonly string[]) =>
      names.length === 1 ? `Budget of ${names[0]}` : `Budget of ${switches(names.length)}`,
    names: listed,
    entries: "Budget (entries for events)",
    current: (installed: string, exact: string) =>
      `Installed entries: ${installed}. Exact entries: ${exact}.`,
    currentLargest: (entries: string) => `The largest of these tables has ${entries} installed entries.`,
    entriesRule: "Enter a whole number from 0 to 10,000,000.",
    unlimited: "Unlimited",
    check: "Check",
    set: "Set budget",
    setFitting: (count: number) =>
      count === 1
        ? "Set only the budget that is large enough"
        : `Set only the ${count} budgets that are large enough`,
    cancel: "Cancel",
    saved: (names: readonly string[]) =>
      names.length === 1
        ? `The budget of ${names[0]} is set.`
        : `The budgets of ${switches(names.length)} are set.`,
    fits: (count: number) =>
      count === 1 ? "The budget is large enough." : `All ${count} budgets are large enough.`,
    fitsNot: (refused: number, count: number) =>
      count === 1 ? "The budget is too small" : `${refused} of ${count} budgets are too small`,
    failed: (failed: number, count: number) =>
      count === 1
        ? "The budget was not set"
        : `${failed} of ${count} budgets were not set. The others were set`,
    remedy: "Enter a larger budget, or choose another aggregation method on the tab Policy.",
    change: (name: string, before: string, after: string) => `${name} ${before} → ${after}`,
    merges: (changes: readonly string[], more: number) =>
      `Entries are merged to fit the budget: ${listed(changes, more)}`,
    changes: (changes: readonly string[], more: number) =>
      `The numbers of entries change: ${listed(changes, more)}`,
  },

  merged: {
    table: "Merged entries",
    topic: "Topic",
    dz: "Cell (dz)",
    dzFromPort: (dz: string, port: number) => `${dz}, ingress port ${port}`,
    all: "the whole event space",
    subscriptions: "Subscriptions",
    measured: "Redundant copies, measured",
    predicted: "Redundant copies, predicted",
    packets: "Packets",
    none: "No merged entries on this switch.",
    measuredAt: (events: string, at: ReactNode) => (
      <>
        Measured: redundant copies of the newest {events} events, {at}. Predicted: the number calculated from
        older events.
      </>
    ),
    measuredSoon: (events: string) =>
      `Measured: redundant copies of the newest ${events} events, available within a minute. Predicted: the number calculated from older events.`,
    region: "Subscriptions of the merged entry",
    heading: (dz: ReactNode) => <>Subscriptions of the merged entry {dz}</>,
    everyEvent: "every event",
    total: (count: number) => (count === 1 ? "1 subscription" : `${count} subscriptions`),
    previous: "Previous",
    next: "Next",
  },

  compare: {
    methods: "Methods",
    budget: "Same budget for every switch",
    budgetPlaceholder: "unchanged",
    sampling: "Fraction of samples used",
    samplingPlaceholder: "as in the policy",
    start: "Compare",
    stop: "Stop",
    calculating: (method: string, number: number, count: number) =>
      `Calculating ${method} (${number} of ${count}). Each method takes one minute at most.`,
    progress: "Progress of the comparison",
    failed: (method: string) => `${method}: no result`,
    none: "No comparison yet. A comparison tries each method on a copy of the network with the stored samples. It changes no table.",
    noSamples: "No stored samples (past events)",
    noSamplesHelp:
      "The comparison shows the numbers of entries. It cannot show redundant copies and false positives, because the platform calculates them from samples. Hosts can report samples, or the analytics job “Event samples” reads them from telemetry.",
    chart: "Redundant copies and false positives per event, by method",
    now: "now",
    perEvent: "per event",
    redundantSeries: "redundant copies",
    falsePositivesSeries: "false positives",
  },

  byMethod: {
    table: "Comparison of methods",
    method: "Method",
    entries: "Entries",
    redundant: "Redundant copies per event",
    falsePositives: "False positives per event",
    budgets: "Budgets",
    time: "Time",
    seconds: (seconds: string) => `${seconds} s`,
    actions: "Run",
    now: "installed now",
    exact: (count: string) => `${count} exact entries`,
    cheapest: "lowest cost",
    allFit: "all large enough",
    unmet: (count: number, names: readonly string[]) =>
      `${count === 1 ? "1 is too small" : `${count} are too small`}: ${listed(names, count - names.length)}`,
    run: "Run…",
    runMethod: (method: string) => `Run ${method}`,
  },

  bySwitch: {
    table: "Switches by method",
    name: "Switch",
    budget: "Budget",
    exact: "Exact entries",
    now: "Installed entries",
    redundantNow: "Redundant copies now",
    entries: (method: string) => `${method}: entries`,
    redundant: (method: string) => `${method}: redundant copies`,
    overBudget: (entries: string) => `${entries} (exceeds the budget)`,
    none: "No switch has a budget or merged entries.",
  },

  runs: {
    table: "Aggregation runs",
    run: "Run",
    method: "Method",
    trigger: "Started by",
    state: "State",
    created: "Created",
    samples: "Samples",
    redundant: "Redundant copies per event",
    reason: "Reason",
    beforeAfter: (before: string, after: string) => `${before} → ${after}`,
    none: "No runs yet. A run uses past events to choose the entries to merge. On the tab Policy, you can set a schedule for runs.",
    triggers: { operator: "user", periodic: "schedule", revert: "revert of a run" } as Record<string, string>,
  },

  runForm: {
    method: "Method",
    sampling: "Fraction of samples used",
    test: "Test without changes",
    start: "Run and install",
    busy: "A run is in progress. Wait until it ends: only one run is possible at a time.",
    testing: (method: string) => `Testing ${method} on a copy of the network. This takes one minute at most.`,
    tested: (method: string) => `Result of the test of ${method}. No table was changed`,
  },

  run: {
    title: (id: string) => `Aggregation run ${id}`,
    working: "The run calculates the merged entries. Then the switches install them.",
    method: "Method",
    trigger: "Started by",
    sampling: "Fraction of samples used",
    samples: "Samples used",
    created: "Created",
    ended: "Ended",
    request: "Request",
    requestLink: (id: string) => `Request ${id}`,
    reverts: "Reverts",
    runLink: (id: string) => `Run ${id}`,
    revert: "Revert…",
    revertTitle: (id: number) => `Revert run ${id}?`,
    revertAction: "Revert",
    revertHelp: (changed: number) =>
      changed > 0
        ? `On ${switches(changed)}, the platform restores the merged entries that were installed before the run, if they still fit in the budgets. No event is lost.`
        : "The platform restores the merged entries that were installed before the run, if they still fit in the budgets. No event is lost.",
  },

  results: {
    redundant: "Redundant copies per event",
    falsePositives: "False positives per event",
    beforeAfter: (before: string, after: string, change: string) =>
      change ? `${before} → ${after} (${change})` : `${before} → ${after}`,
    chosen: "Best candidate",
    candidates: {
      exceptions: "merged entries; some cells inside them keep their own entries",
      "exceptions-wide":
        "merged entries; some cells inside them keep their own entries (chosen so that the cost stays low even if future events differ from past events)",
      installed: "the installed entries (no change)",
    } as Record<string, string>,
    gap: "An exception is a cell that keeps its own entry, although a merged entry contains it. This value is the difference between the cost of the result and the lowest possible cost without exceptions. If it is negative, the result costs less than any result without exceptions.",
    time: "Calculation time",
    seconds: (seconds: string) => `${seconds} s`,
    unmet: "Budgets that are too small",
    unchanged: "No table has merged entries, neither before nor after.",
    table: "Switches before and after",
    name: "Switch",
    budget: "Budget",
    exact: "Exact entries",
    before: "Entries before",
    after: "Entries after",
    more: (count: number) => `and ${count} more`,
  },

  policy: {
    periodicRuns: "Periodic runs",
    methodFact: (method: string, meaning: string) => `${method}: ${meaning}`,
    fields: {
      method: "Method",
      sampling: "Fraction of samples used",
      period: "Period",
      gain: "Minimum improvement",
    },
    samplingHelp: "Above 0, at most 1. A smaller fraction makes runs faster.",
    periodic: "Run periodically",
    periodicHelp: "Only for fa-lb, fa-pb and optimal. The methods none and la have no runs.",
    periodHelp: "10 seconds to 7 days.",
    gainHelp:
      "A periodic run changes tables only if it removes at least this percentage of the redundant copies and false positives.",
    secondsSuffix: " s",
    percentSuffix: " %",
    gainValue: (percent: string | number) => `${percent} %`,
    periodValue: (seconds: string | number) => `every ${seconds} s`,
    noPeriod: "no periodic runs",
    empty: {
      sampling: "Enter the fraction of samples used: a number above 0 and at most 1.",
      period: "Enter the period: a number of seconds from 10 to 604,800.",
      gain: "Enter the minimum improvement: a number from 0 to 100 %.",
    },
    save: "Save",
    saved: "The policy is saved.",
    chooseFirst: "First choose which value to keep: the new value or your value.",
    missing: (labels: readonly string[]) => `First enter: ${labels.join(", ")}.`,
    unchanged: "No unsaved changes",
    confirm: (method: string) => `Change the method to ${method}?`,
    confirmAction: "Change method",
    noTableChanges:
      "The tables stay unchanged for now. The platform uses the method from the next request on.",
    tablesChange: (count: number, changes: readonly string[]) =>
      `${count === 1 ? "1 table changes" : `${count} tables change`} immediately: ${listed(changes, count - changes.length)}`,
    change: (name: string, before: string, after: string) => `${name} ${before} → ${after}`,
  },
};
