// Filters of the charts. Each is a part of the address, with names separated by commas.

import { text } from "./text";

export const FILTERS = [
  { name: "topic", label: text.filters.topics, path: "/api/v1/topics/" },
  { name: "host", label: text.filters.hosts, path: "/api/v1/hosts/" },
  { name: "switch", label: text.filters.switches, path: "/api/v1/switches/" },
  { name: "publisher", label: text.filters.publishers, path: "/api/v1/advertisements/" },
  { name: "kind", label: text.filters.kinds, path: "" },
] as const;

/** Frequent request kinds, offered as suggestions; users can also type others. */
export const KINDS = ["advertise", "unadvertise", "subscribe", "unsubscribe", "set_budget", "set_indexed"];
