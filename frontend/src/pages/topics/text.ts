/** Texts of the pages "Topics" and of one topic. */
export const text = {
  title: "Topics",
  search: "Search topics",
  searchHint: "Search by name",
  create: "Create topic",
  noMatch: (q: string) => `No topic name contains “${q}”.`,
  none: "No topics yet. A topic defines the attributes of its events, with types and domains. Publishers advertise and subscribers filter by these attributes.",
  columns: {
    name: "Topic",
    attributes: "Attributes",
    indexed: "Indexed",
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
    nameHelp: "Used in filters and API calls.",
    order:
      "The order matters: attributes alternate in the dz. Switches match indexed attributes, hosts match the others.",
    add: "Add attribute",
    seal: "Seal events",
    sealHelp: "Only publishers and subscribers of the topic get the keys, over the REST API.",
    invalid: "The topic was not created. Correct the marked fields.",
    submit: "Create topic",
    created: (name: string) => `Topic ${name} created.`,
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
        enum: "enum: one of these values. Enter one value per line. The order matters.",
        string: "string: any text. Switches match its first 16 bytes.",
      },
    },
  },
  topic: {
    missing: (name: string) => `The topic “${name}” does not exist. It may have been deleted.`,
    showAll: "Show all topics",
    changeIndexed: "Change indexed attributes",
    seal: "Seal events",
    stopSealing: "Stop sealing",
    replaceKeys: "Replace keys",
    delete: "Delete",
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
    codes: "Address codes",
    codesOf: (first: number, second: number) => `${first}, ${second}`,
    codesHelp: "The topic uses one code. A change of its indexed attributes moves it to the other.",
    automatic: "automatic indexing",
    seals: "Event seals",
    on: "on",
    off: "off",
    created: "Created",
  },
  attributes: {
    title: "Attributes",
    attribute: "Attribute",
    domain: "Type and domain",
    matchedBy: "Matched by",
    switches: "switches",
    hosts: "hosts",
  },
  deletion: {
    title: (name: string) => `Delete topic ${name}?`,
    confirm: "Delete topic",
    deleted: (name: string) => `Topic ${name} deleted.`,
    used: "The topic is in use. You can delete it after these announcements are withdrawn:",
    showAdvertisements: "Show advertisements",
    showSubscriptions: "Show subscriptions",
    unused:
      "The topic has no advertisements and no subscriptions, so no publisher or subscriber is affected. Its name and codes become available again.",
  },
  sealing: {
    sealTitle: (name: string) => `Seal the events of ${name}?`,
    stopTitle: (name: string) => `Stop sealing the events of ${name}?`,
    seal: "Seal events",
    stop: "Stop sealing",
    sealed: (name: string) => `Events of ${name} are sealed.`,
    unsealed: (name: string) => `Events of ${name} are no longer sealed.`,
    change:
      "No event is lost. For some minutes, subscribers accept events with and without a seal, until all publishers have changed.",
    requirements:
      "All hosts of the topic need a library version that supports seals, and access to the REST API. In-band hosts get no keys.",
  },
  keys: {
    title: (name: string) => `Replace the keys of ${name}?`,
    confirm: "Replace keys",
    replaced: (name: string) => `Topic ${name} has new keys.`,
    effect:
      "Publishers use the new keys after their next lease call. Subscribers accept the old keys for some minutes more. Subscribers that have withdrawn do not get the new keys.",
  },
  indexing: {
    title: (name: string) => `Indexed attributes of ${name}`,
    intro:
      "Switches match indexed attributes. Hosts match the others. A change encodes all filters of the topic again and moves the topic to its other code. No event is lost.",
    attributes: "Indexed attributes",
    attribute: (name: string, type: string) => `${name} (${type})`,
    atLeastOne: "Select at least one attribute.",
    automatic: "Select indexed attributes automatically from past events",
    calculating: "Calculating the cost…",
    submit: "Change indexed attributes",
    changed: (name: string) => `Topic ${name} changed.`,
    /** Progress of the move to another code, by its stage. */
    moves: {
      making: (topic: string, code: number) =>
        `Moving ${topic} to code ${code}: switches install the new entries.`,
      telling: (topic: string, code: number) =>
        `Moving ${topic} to code ${code}: publishers change to the new code.`,
      settling: (topic: string, code: number) =>
        `Moving ${topic} to code ${code}: the last events with the old code arrive.`,
      breaking: (topic: string, code: number) =>
        `Moving ${topic} to code ${code}: switches remove the old entries.`,
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
      "advertisement-cells": "dz cells of advertisements",
      "subscription-cells": "dz cells of subscriptions",
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
    withoutFilter: "dz set without a filter",
    everyEvent: "every event",
    event: (advertisement: string) => `event of ${advertisement}`,
    cells: (count: number) => (count === 1 ? "1 dz cell" : `${count.toLocaleString()} dz cells`),
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
      cellCount: "dz cells",
      events: "Recent events in the event space",
      newestEvents: (total: number, shown: number) =>
        `Recent events (${total.toLocaleString()}), newest ${shown}`,
      reported: "Reported",
      advertisement: "Advertisement",
    },
  },
};
