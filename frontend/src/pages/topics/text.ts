/** Texts of the pages "Topics" and of one topic. */
export const text = {
  title: "Topics",
  search: "Search topics",
  searchHint: "Search by name",
  create: "Create topic",
  noMatch: (q: string) => `No topic name contains “${q}”.`,
  none: "No topics yet. A topic defines the attributes of its events, with their types and allowed values. Publishers and subscribers use these attributes in their filters.",
  columns: {
    name: "Topic",
    attributes: "Attributes",
    indexed: "Indexed attributes",
    advertisements: "Advertisements",
    subscriptions: "Subscriptions",
    created: "Created",
  },
  attribute: (name: string, domain: string) => `${name}: ${domain}`,
  attributesAnd: (attributes: string, more: number) => `${attributes} and ${more} more`,
  indexedOf: (indexed: number, all: number) => `${indexed} of ${all}`,
  form: {
    title: "Create topic",
    name: "Name",
    nameHelp: "Publishers, subscribers and API calls use this name.",
    order:
      "Switches check indexed attributes. Hosts check all attributes. Begin with the attributes that most filters use: the binary string that switches compare (dz) has a limited length, and the first attributes get more of its bits.",
    add: "Add attribute",
    seal: "Seal events",
    sealHelp:
      "Each event then has a seal, made with a secret key. Subscribers reject events without a valid seal. The REST API gives the keys only to publishers and subscribers of the topic.",
    invalid: "The topic was not created. Correct the marked fields.",
    submit: "Create topic",
    created: (name: string) => `Topic ${name} is created.`,
    attribute: {
      legend: (number: number) => `Attribute ${number}`,
      name: "Attribute name",
      type: "Type",
      min: "Minimum",
      max: "Maximum",
      values: "Values",
      indexed: "Indexed",
      moveUp: (number: number) => `Move attribute ${number} up`,
      moveDown: (number: number) => `Move attribute ${number} down`,
      remove: (number: number) => `Remove attribute ${number}`,
      types: {
        int: "int: integers from minimum to maximum, both included",
        float: "float: real numbers from minimum to maximum, both included",
        bool: "bool: false or true",
        enum: "enum: one of these values. Enter one value per line. Filters with < and > use this order.",
        string: "string: any text. Switches check its first 16 bytes.",
      },
    },
  },
  topic: {
    missing: (name: string) => `The topic “${name}” does not exist. It may have been removed.`,
    showAll: "Show all topics",
    changeIndexed: "Change indexed attributes",
    seal: "Seal events",
    stopSealing: "Stop sealing",
    replaceKeys: "Replace keys",
    remove: "Remove",
    space: "Event space",
  },
  facts: {
    advertisements: "Advertisements",
    advertisementsFrom: (advertisements: string, publishers: number) =>
      publishers === 1
        ? `${advertisements} from 1 publisher`
        : `${advertisements} from ${publishers.toLocaleString()} publishers`,
    subscriptions: "Subscriptions",
    subscriptionsFrom: (subscriptions: string, subscribers: number) =>
      subscribers === 1
        ? `${subscriptions} from 1 subscriber`
        : `${subscriptions} from ${subscribers.toLocaleString()} subscribers`,
    codes: "Codes in addresses",
    codesOf: (first: number, second: number) => `${first}, ${second}`,
    codesHelp:
      "The addresses of events contain one of these codes. If you change the indexed attributes, the topic uses the other code.",
    automatic: "indexed attributes are selected automatically",
    seals: "Event seals",
    on: "on",
    off: "off",
    created: "Created",
  },
  attributes: {
    title: "Attributes",
    attribute: "Attribute",
    domain: "Type and allowed values",
    checkedBy: "Checked by",
    switches: "switches, hosts",
    hosts: "hosts",
  },
  removal: {
    title: (name: string) => `Remove topic ${name}?`,
    confirm: "Remove topic",
    removed: (name: string) => `Topic ${name} is removed.`,
    used: "The topic is in use. You can remove it after all its advertisements and subscriptions are withdrawn. The withdrawals affect:",
    showAdvertisements: "Show advertisements",
    showSubscriptions: "Show subscriptions",
    unused:
      "The topic has no advertisements and no subscriptions, so no publisher or subscriber is affected. After the removal, another topic can use its name and its codes.",
  },
  sealing: {
    sealTitle: (name: string) => `Seal the events of ${name}?`,
    stopTitle: (name: string) => `Stop sealing the events of ${name}?`,
    seal: "Seal events",
    stop: "Stop sealing",
    sealed: (name: string) => `Events of ${name} are sealed.`,
    unsealed: (name: string) => `Events of ${name} are no longer sealed.`,
    change:
      "No event is lost. For some minutes, until all publishers use the new setting, subscribers accept events with and without a seal.",
    requirements:
      "All hosts of the topic need a library version that supports seals, and access to the REST API. Hosts that use in-band signalling get no keys.",
  },
  keys: {
    title: (name: string) => `Replace the keys of ${name}?`,
    confirm: "Replace keys",
    replaced: (name: string) => `Topic ${name} has new keys.`,
    effect:
      "Publishers get the new keys automatically. For some minutes, subscribers also accept the old keys. Subscribers without an active subscription do not get the new keys.",
  },
  indexing: {
    title: (name: string) => `Indexed attributes of ${name}`,
    intro:
      "Switches check indexed attributes. Hosts check all attributes. After a change, the platform calculates the cells of all filters of the topic again. The addresses of events contain a code of their topic. Each topic has two codes. The change is a migration: the topic changes to its other code. If the tables have capacity for the old and the new entries, no event is lost or duplicated.",
    attributes: "Indexed attributes",
    attribute: (name: string, type: string) => `${name} (${type})`,
    atLeastOne: "Select at least one attribute.",
    automatic: "Select indexed attributes automatically from past events",
    calculating: "Calculating the entries…",
    submit: "Change indexed attributes",
    changed: (name: string) => `Topic ${name} is changed.`,
    /** Progress of the migration to another code, by its stage. */
    moves: {
      making: (topic: string, code: number) =>
        `Migration of ${topic} to code ${code}: switches install the new entries.`,
      telling: (topic: string, code: number) =>
        `Migration of ${topic} to code ${code}: publishers change to the new code.`,
      settling: (topic: string, code: number) =>
        `Migration of ${topic} to code ${code}: the last events with the old code arrive.`,
      breaking: (topic: string, code: number) =>
        `Migration of ${topic} to code ${code}: switches remove the old entries.`,
      done: (topic: string, code: number) => `Topic ${topic} uses code ${code}.`,
    },
  },
  space: {
    loading: "Loading the chart",
    x: "X axis",
    y: "Y axis",
    view: "View",
    chart: "Chart",
    table: "Table",
    layers: "Layers",
    layer: (name: string, total: number) => `${name} (${total.toLocaleString()})`,
    layerNames: {
      advertisements: "Advertisements",
      subscriptions: "Subscriptions",
      "advertisement-cells": "Cells of advertisements",
      "subscription-cells": "Cells of subscriptions",
      cuts: "Cuts",
      events: "Recent events",
    },
    empty: "This topic has no advertisements and no subscriptions yet, so its event space is empty.",
    summary: (
      topic: string,
      axes: readonly string[],
      totals: { advertisements: number; subscriptions: number; events: number },
    ) =>
      `Event space of ${topic} over ${axes.join(" and ")}. Advertisements: ${totals.advertisements}. ` +
      `Subscriptions: ${totals.subscriptions}. Recent events: ${totals.events}. The table contains the same data.`,
    newest: {
      advertisements: (shown: number, total: number) => `Newest ${shown} of ${total} advertisements`,
      subscriptions: (shown: number, total: number) => `Newest ${shown} of ${total} subscriptions`,
      events: (shown: number, total: number) => `Newest ${shown} of ${total} events`,
    },
    announcement: (name: string, owner: string, host: string, filter: string) =>
      `${name} of ${owner} at ${host}\n${filter}`,
    owner: (owner: string, host: string) => `${owner} at ${host}`,
    withoutFilter: "unknown filter (the host announced only cells)",
    everyEvent: "every event",
    event: (advertisement: string) => `event of ${advertisement}`,
    cut: (attribute: string, value: string) => `cut: ${attribute} < ${value}`,
    cells: (count: number) => (count === 1 ? "1 cell" : `${count.toLocaleString()} cells`),
    range: (attribute: string, from: string, to: string) => `${attribute} ${from} to ${to}`,
    firstValue: "first value",
    lastValue: "last value",
    tables: {
      label: "Event space as a table",
      advertisements: "Advertisements in the event space",
      subscriptions: "Subscriptions in the event space",
      advertisementCaption: (total: number) => `Advertisements (${total.toLocaleString()})`,
      subscriptionCaption: (total: number) => `Subscriptions (${total.toLocaleString()})`,
      id: "Id",
      owner: "Owner",
      filter: "Filter",
      range: "Range",
      moreRanges: "and more",
      cells: (layer: string) => `Event space: ${layer}`,
      cellCaption: (layer: string, total: number) => `${layer} (${total.toLocaleString()})`,
      firstRanges: (layer: string, total: number, shown: number) =>
        `${layer} (${total.toLocaleString()}), first ${shown} ranges`,
      cellCount: "Cells (dz)",
      events: "Recent events in the event space",
      newestEvents: (total: number, shown: number) =>
        `Recent events (${total.toLocaleString()}), newest ${shown}`,
      reported: "Reported",
      advertisement: "Advertisement",
    },
  },
};
