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
    noTopic: "Select a topic to see the cells and the additional entries of the filter.",
    invalid: "The cells and the additional entries appear when the filter is valid.",
    cells: "Cells (dz)",
    excess: "Excess",
    excessHelp: "How much larger the cells are than the filter. Switches forward all events of the cells.",
    excessEstimated:
      "How much larger the cells are than the filter. The value is an estimate with its 95 % confidence interval, because exact counting takes too long.",
    advertisements: "Matching advertisements",
    subscriptions: "Matching subscriptions",
    entries: "Additional entries",
    matched: (matched: number, all: number) => `${number(matched)} of ${number(all)}`,
    matchedOfChecked: (matched: number, checked: number, all: number) =>
      `${number(matched)} of ${number(checked)} checked (${number(all)} in total)`,
    noParticipant: {
      subscription: "Select the subscriber to see the additional entries of each switch.",
      advertisement: "Select the publisher to see the additional entries of each switch.",
    },
    refused: "The platform would refuse this filter.",
    overBudget: (switches: readonly string[]) =>
      `The entries exceed the budget of ${switches.join(", ")}. Raise the budget, or use larger ranges: they need fewer cells, but contain more events. If the aggregation method is none, choose another one (page Budgets, tab Policy).`,
    noAdvertisement:
      "No matching advertisement yet. You can save the subscription. It receives events when a matching advertisement is added.",
    noSubscription:
      "No matching subscription yet. Switches forward the events when a matching subscription is added.",
    wholeSpace: "the whole event space",
    more: (count: number) => `and ${number(count)} more`,
    noEntries: "No additional entries are needed.",
  },
};
