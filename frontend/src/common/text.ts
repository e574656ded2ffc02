/** Texts of the parts that pages share. */
export const text = {
  close: "Close",
  loading: "Loading",
  documentation: {
    link: "Learn more",
    title: (page: string) => `Documentation: docs/${page}`,
    missing: (page: string) => `The documentation has no page ${page}.`,
  },
  /** Terms with a help icon. `definition` is the first paragraph below `heading` in docs/glossary.md. */
  terms: {
    cell: {
      question: "What is a cell?",
      definition: "A cell is a box of the event space; its dz is the binary string that names it.",
      heading: "Cell",
    },
    entry: {
      question: "What is an entry?",
      definition:
        "An entry is a rule in a switch's flow table: it matches the events of a cell and names their output ports.",
      heading: "Entry",
    },
    exactEntry: {
      question: "What are exact entries?",
      definition: "Exact entries are the entries that a switch needs without aggregation.",
      heading: "Exact entry",
    },
    installedEntry: {
      question: "What are installed entries?",
      definition: "Installed entries are the entries of a switch's table after aggregation.",
      heading: "Installed entry",
    },
    falsePositive: {
      question: "What is a false positive?",
      definition: "A false positive is an event that is delivered to a host without a matching filter.",
      heading: "False positive",
    },
    notIndexed: {
      question: "What is an attribute that is not indexed?",
      definition:
        "Switches do not see an attribute that is not indexed, so hosts receive events with all of its values.",
      heading: "Attribute not indexed",
    },
    truncation: {
      question: "What is truncation?",
      definition:
        "Truncation is the limit on the number and the length of the cells of a filter: the cells can contain events that the filter excludes.",
      heading: "Truncation",
    },
    aggregation: {
      question: "What is aggregation?",
      definition:
        "Aggregation merges entries of a switch into fewer entries to stay within its budget, at the price of false positives and redundant copies.",
      heading: "Aggregation",
    },
    redundantCopy: {
      question: "What is a redundant copy?",
      definition:
        "A redundant copy is a copy of an event over a link behind which no subscription matches the event.",
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
      definition: "A duplicate is a further copy of an event that a host already received.",
      heading: "Duplicate",
    },
    budget: {
      question: "What is a budget?",
      definition: "The budget of a switch is the maximum number of entries for events in its flow table.",
      heading: "Budget",
    },
    tree: {
      question: "What is a tree?",
      definition:
        "A tree is a set of links without loops that carries the events of its cells to all switches of a network.",
      heading: "Tree",
    },
  },
  help: { more: "Open the glossary" },
};
