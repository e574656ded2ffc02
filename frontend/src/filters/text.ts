const number = (count: number) => count.toLocaleString();

/** Texts of the filter editor and its preview. */
export const text = {
  suggestions: "Suggestions",
  everyEvent: "every event",

  operators: {
    "=": "equal to",
    "!=": "not equal to",
    "<": "less than",
    "<=": "at most",
    ">": "greater than",
    ">=": "at least",
    in: "in a list or range",
    prefix: "starts with",
  } as Record<string, string>,
  list: "list of values",
  range: "range",
  smallest: "minimum",
  largest: "maximum",
  numberDomain: (type: string, min: number | string, max: number | string) => `${type} ${min} … ${max}`,
  enumDomain: (values: readonly string[], all: number) => {
    const shown = values.join(", ");
    return all > values.length ? `enum ${shown}, … (${all})` : `enum ${shown}`;
  },

  preview: {
    loading: "Calculating…",
    noTopic: "Select a topic to see the cost.",
    invalid: "The dz cells and the cost appear when the filter is valid.",
    cells: "dz cells",
    excess: "Excess volume",
    excessHelp: "Volume of the cells outside the filter, as a share of the filter's volume",
    advertisements: "Matching advertisements",
    subscriptions: "Matching subscriptions",
    entries: "Additional entries",
    matched: (matched: number, all: number) => `${number(matched)} of ${number(all)}`,
    matchedOfChecked: (matched: number, checked: number, all: number) =>
      `${number(matched)} of ${number(checked)} (checked ${number(checked)} of ${number(all)})`,
    noParticipant: {
      subscription: "Select the subscriber to see the additional entries in each switch.",
      advertisement: "Select the publisher to see the additional entries in each switch.",
    },
    refused: "The platform would refuse this filter.",
    overBudget: (switches: readonly string[]) =>
      `The entries exceed the TCAM budget of ${switches.join(", ")}. Increase the budget, merge entries there (page Budgets), or use a larger filter that needs fewer cells.`,
    noAdvertisement:
      "No matching advertisement yet. You can save the subscription: it receives events as soon as there is one.",
    noSubscription: "No matching subscription yet. Events are not forwarded until there is one.",
    wholeSpace: "the whole event space",
    more: (count: number) => `and ${number(count)} more`,
    noEntries: "No additional entries needed.",
  },
};
