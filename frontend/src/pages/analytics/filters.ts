// What narrows the charts; each part of the address has the names, by commas.

export const FILTERS = [
  { name: "topic", label: "Topics", path: "/api/v1/topics/" },
  { name: "host", label: "Hosts", path: "/api/v1/hosts/" },
  { name: "switch", label: "Switches", path: "/api/v1/switches/" },
  { name: "publisher", label: "Publishers, by advertisement", path: "/api/v1/advertisements/" },
  { name: "kind", label: "Kinds of request", path: "" },
] as const;

/** Kinds of requests that come often; others can be typed. */
export const KINDS = ["advertise", "unadvertise", "subscribe", "unsubscribe", "set_budget", "set_indexed"];
