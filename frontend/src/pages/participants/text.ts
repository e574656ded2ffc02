import { formatQuantity as quantity } from "@/common/formatting/figures";

const stopped = (hosts: number) =>
  hosts === 1
    ? "After the withdrawal, 1 host no longer receives the events of this subscription."
    : `After the withdrawal, ${quantity(hosts, "host")} no longer receive the events of this subscription.`;
const affected = (subscriptions: number, subscribers: number, hosts: number) =>
  `${quantity(subscriptions, "subscription")} of ${quantity(subscribers, "subscriber")} at ${quantity(hosts, "host")}`;

/** Texts of publishers and their advertisements. */
const publisher = {
  owner: "Publisher",
  owners: "Publishers",
  announcements: "Advertisements",
  events: "Published",
  register: "Register publisher",
  announce: "Advertise",
  announceFor: (name: string) => `Advertise for ${name}`,
  registerAndAnnounce: "Register and advertise",
  nameHelp: "Advertisements use this name. You cannot change it later.",
  hostHelp: "The host that sends the events.",
  noOwnerMatch: "No matching publishers. Clear a filter to see more.",
  noOwner: "No publishers yet. A publisher is a program on a host. It advertises and sends events.",
  noMatch: "No matching advertisements. Clear a filter to see more.",
  none: "No advertisements yet. An advertisement is a filter. It describes which events a publisher will send. Switches forward only advertised events.",
  pickerEmpty: "No matching publishers. Register the publisher first.",
  newAnnouncement: "New advertisement",
  announcement: (name: string) => `Advertisement ${name}`,
  withdraw: (name: string) => `Withdraw advertisement ${name}?`,
  remove: (name: string) => `Remove publisher ${name}?`,
  removable:
    "The publisher has no active advertisements, so no host is affected. The platform also removes the history of its advertisements.",
  showAnnouncements: "Show its advertisements",
  waiting: "Waiting until the host reports the first published event…",
  firstEvent: "The first event was published.",
};

/** Texts of subscribers and their subscriptions. */
const subscriber: typeof publisher = {
  owner: "Subscriber",
  owners: "Subscribers",
  announcements: "Subscriptions",
  events: "Delivered",
  register: "Register subscriber",
  announce: "Subscribe",
  announceFor: (name: string) => `Subscribe for ${name}`,
  registerAndAnnounce: "Register and subscribe",
  nameHelp: "Subscriptions use this name. You cannot change it later.",
  hostHelp: "The host that receives the events.",
  noOwnerMatch: "No matching subscribers. Clear a filter to see more.",
  noOwner: "No subscribers yet. A subscriber is a program on a host. It subscribes and receives events.",
  noMatch: "No matching subscriptions. Clear a filter to see more.",
  none: "No subscriptions yet. A subscription is a filter. It describes which events of a topic a subscriber receives.",
  pickerEmpty: "No matching subscribers. Register the subscriber first.",
  newAnnouncement: "New subscription",
  announcement: (name: string) => `Subscription ${name}`,
  withdraw: (name: string) => `Withdraw subscription ${name}?`,
  remove: (name: string) => `Remove subscriber ${name}?`,
  removable:
    "The subscriber has no active subscriptions, so no host is affected. The platform also removes the history of its subscriptions.",
  showAnnouncements: "Show its subscriptions",
  waiting: "Waiting until the host reports the first delivered event…",
  firstEvent: "The first event was delivered.",
};

/** Texts of the page "Publishers and subscribers". */
export const text = {
  title: "Publishers and subscribers",
  lists: "Lists",
  importList: "Import CSV or JSON",
  publisher,
  subscriber,
  withoutFilter: "unknown filter (the host announced only cells)",
  everyEvent: "every event",
  at: (name: string, host: string) => `${name} at ${host}`,
  list: {
    search: "Search",
    ownerHint: "name or host",
    announcementHint: "filter, name or host",
    any: "any",
    name: "Name",
    host: "Host",
    topic: "Topic",
    state: "State",
    id: "Id",
    filter: "Filter",
    filters: "Filters",
    filtersOf: (name: string, count: number) => `Filters of ${name}: ${count}`,
    registeredBy: "Registered by",
    inBand: "in-band signalling",
    api: "REST API",
    falsePositives: "False positives",
    lastSeen: "Last seen",
    never: "never",
    actions: "Actions",
    noAdvertisement: "No matching advertisement yet.",
    noMatch: "no match",
    again: "Announce again with the same filter",
    announceAgain: (name: string) => `Announce ${name} again`,
    remove: "Remove",
    removeOf: (name: string) => `Remove ${name}`,
    withdraw: "Withdraw",
    withdrawOf: (name: string) => `Withdraw ${name}`,
  },
  details: {
    label: "Details",
    state: "State",
    topic: "Topic",
    created: "Created",
    notReported: "not reported",
    lastSeen: "Last seen",
    never: "never",
    requests: "Requests",
    request: (id: string) => `Request ${id}`,
    withdrawal: (id: string) => `Request ${id} (withdrawal)`,
    filter: "Filter",
    cells: (count: number) => `Cells (dz): ${count.toLocaleString()}`,
    wholeSpace: "the whole event space",
    more: (count: number) => `and ${count.toLocaleString()} more`,
  },
  registration: {
    name: "Name",
    host: "Host",
    noHost: "No matching hosts. Register the host first.",
    newHost: "Register another host",
    invalid: "The registration failed. Correct the marked fields.",
    submit: "Register",
    registered: (name: string, host: string) => `${name} is registered at ${host}.`,
  },
  announcing: {
    ownerHelp: "Type a part of the name.",
    topic: "Topic",
    topicHelp: "The filter uses the attributes of this topic.",
    noTopic: "No matching topics.",
    filter: "Filter",
    filterHelp: (attributes: string) =>
      `Attributes: ${attributes}. Leave empty for every event. Press Ctrl+Space for suggestions.`,
    topicFirst: "Choose a topic first to get suggestions. Leave empty for every event.",
    noAdvertisement:
      "No matching advertisement yet. The subscription receives events when a matching advertisement is added.",
    showNetwork: "Show the network",
    edit: "Edit",
    addAnother: "Add another",
    count: (events: number) => `Events: ${events.toLocaleString()}. Last event:`,
  },
  removal: {
    confirm: "Remove",
    removed: (name: string) => `${name} is removed.`,
  },
  withdrawal: {
    confirm: "Withdraw",
    announcement: (owner: string, host: string, topic: string) => `${owner} at ${host}, topic ${topic}:`,
    counting: "Counting the affected subscriptions…",
    waiting: "Waiting until every affected switch has confirmed the withdrawal…",
    subscriber: (hosts: number) => `1 subscriber is affected. ${stopped(hosts)}`,
    atLeastSubscriber: (hosts: number) => `At least 1 subscriber is affected. ${stopped(hosts)}`,
    subscriptions: (subscriptions: number, subscribers: number, hosts: number) =>
      `${affected(subscriptions, subscribers, hosts)} ${subscriptions === 1 ? "is" : "are"} affected.`,
    atLeastSubscriptions: (subscriptions: number, subscribers: number, hosts: number) =>
      `At least ${affected(subscriptions, subscribers, hosts)} ${subscriptions === 1 ? "is" : "are"} affected.`,
    leftWithout: (subscriptions: number) =>
      subscriptions === 1
        ? "1 subscription will have no matching advertisement."
        : `${subscriptions.toLocaleString()} subscriptions will have no matching advertisement.`,
    names: (names: string, more: boolean) => (more ? `${names}, …` : names),
    withdrawn: (name: string) => `${name} is withdrawn.`,
    againFailed: (name: string, cause: string) =>
      `${name} is withdrawn. It was not announced again: ${cause}`,
    again: "Announce again",
    announced: (name: string | undefined) => (name ? `Announced again as ${name}.` : "Announced again."),
  },
  upload: {
    title: {
      publishers: "Import publishers",
      subscribers: "Import subscribers",
      advertisements: "Import advertisements",
      subscriptions: "Import subscriptions",
    },
    registered: {
      publishers: (count: number) => `${quantity(count, "publisher")} registered.`,
      subscribers: (count: number) => `${quantity(count, "subscriber")} registered.`,
      advertisements: (count: number) => `${quantity(count, "advertisement")} added.`,
      subscriptions: (count: number) => `${quantity(count, "subscription")} added.`,
    },
    /** Examples of a file; only their values may be translated. */
    samples: {
      publishers: "name,host\nexchange,h1",
      subscribers: "name,host\nalice,h2",
      advertisements: "publisher,topic,filter\nexchange,quotes,true",
      subscriptions: 'subscriber,topic,filter\nalice,quotes,"open in [100, 200] and symbol = ""IBM"""',
    },
    file: "File",
    fileHelp: (items: number, mebibytes: number) =>
      `CSV or JSON, at most ${items.toLocaleString()} items and ${mebibytes} MiB. Nothing changes until you press Apply.`,
    choose: "Choose a file",
    clear: "Clear the file",
    format:
      "The first line of a CSV file names the columns. A JSON file is a list of objects with these fields.",
    checking: "Checking all items and calculating their entries…",
    noItems: "The file has no items. In a CSV file, items begin in the second line.",
    checkAgain: "Check again",
    apply: "Apply",
    applyAll: (count: number) => `Apply all ${count.toLocaleString()}`,
    valid: (items: number) =>
      items === 1 ? "1 item is valid." : `${items.toLocaleString()} items are valid.`,
    validCells: (items: number, cells: number, excess: string) =>
      `${quantity(items, "valid item")}, ${quantity(cells, "cell")} (dz), mean excess ${excess}.`,
    errors: (count: number, file: string, items: number) =>
      `${quantity(count, "error")} in ${file}. Items that could be read: ${items.toLocaleString()}. Nothing was changed. Correct the file and choose it again.`,
    errorTable: "Errors by line",
    line: "Line",
    field: "Field",
    error: "Error",
    more: (count: number) => `and ${count.toLocaleString()} more`,
    downloadErrors: "Download all errors",
  },
  operation: {
    finished: (active: number, items: number) =>
      `Finished: ${active.toLocaleString()} of ${quantity(items, "item")} active.`,
    finishedWithFailures: (active: number, items: number, failed: number) =>
      `Finished: ${active.toLocaleString()} of ${quantity(items, "item")} active, ${failed.toLocaleString()} failed.`,
    running: (percent: number, active: number, items: number) =>
      `${percent} %: ${active.toLocaleString()} of ${quantity(items, "item")} active. The import continues if you close this dialog.`,
    progress: "Progress of the import",
    downloadFailures: "Download failures",
    items: "Items of the import",
    noMatch: "No matching items.",
    line: "Line",
    id: "Id",
    state: "State",
    reason: "Reason",
  },
  /** Problems of a file, found before it is sent. */
  file: {
    notUtf8: "The file is not UTF-8. Save it as UTF-8 (in a spreadsheet: CSV UTF-8).",
    notJson: (cause: string) => `The file is not valid JSON: ${cause}. Correct it, or use CSV.`,
    notList: "The file is not a list. Write [ … ] around the items.",
    empty: (fields: string) => `The file is empty. Its first line must name the columns: ${fields}.`,
    missingColumns: (found: string, missing: string, fields: string) =>
      `Columns in the first line: ${found}. Required columns: ${fields}. Missing: ${missing}.`,
    cells: (found: number, expected: number) =>
      `The line has ${quantity(found, "field")} instead of ${expected}. Put quotes around a field that contains a comma.`,
    separators: { ";": "semicolons", "\t": "tabs", "|": "vertical bars" },
    otherSeparator: (separator: string) =>
      `The first line has ${separator} between the fields. Use commas in every line (in a spreadsheet: save as CSV with commas).`,
    openQuote: "A quoted field has no closing quote. Add the quote.",
    afterQuote:
      'Text follows the closing quote of a field. Double each quote inside a field: write "" for ".',
    tooManyBytes: (mebibytes: string, limit: number) =>
      `The file size is ${mebibytes} MiB. The limit is ${limit} MiB. Split the file.`,
    tooManyItems: (items: number, limit: number) =>
      `The file has ${items.toLocaleString()} items. The limit is ${limit.toLocaleString()} items. Split the file.`,
  },
};
