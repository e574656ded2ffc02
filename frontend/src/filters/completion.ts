import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { expectedAfter, type FilterAttribute, operators, quote, tokens } from "./grammar";

/** What the editor proposes at the cursor: names, operators and values of the topic's attributes. */
export function completions(
  attributes: readonly FilterAttribute[],
  context: CompletionContext,
): CompletionResult | null {
  const before = context.state.sliceDoc(0, context.pos);
  const word = /[A-Za-z_][A-Za-z0-9_-]*$|"[^"]*$|[<>!=]+$/.exec(before);
  const from = word ? word.index : before.length;
  if (!word && !context.explicit && !/(^|[\s(,[])$/.test(before)) return null;
  const options = proposals(attributes, before.slice(0, from));
  return options.length > 0 ? { from, options, validFor: /^("[^"]*|[\w-]*|[<>!=]*)$/ } : null;
}

/** The proposals behind `before`. */
export function proposals(attributes: readonly FilterAttribute[], before: string): Completion[] {
  const next = expectedAfter(tokens(before));
  const named = (name: string) => attributes.find((each) => each.name === name);
  switch (next.what) {
    case "test":
      return [
        ...attributes.map((each) => ({
          label: each.name,
          type: "property",
          detail: describeDomain(each),
          boost: 1,
        })),
        { label: "not", type: "keyword" },
      ];
    case "operator":
      return operators(named(next.attribute)).map((label) => ({
        label,
        type: "keyword",
        detail: MEANS[label],
      }));
    case "list":
      return [
        { label: "(", detail: "one of a list" },
        ...(numeric(named(next.attribute)) ? [{ label: "[", detail: "a range" }] : []),
      ];
    case "value":
      return values(named(next.attribute));
    case "join":
      return ["and", "or", ...(next.open ? [")"] : [])].map((label) => ({ label, type: "keyword" }));
    case "nothing":
      return [];
  }
}

const MEANS: Record<string, string> = {
  "=": "equals",
  "!=": "differs from",
  "<": "below",
  "<=": "at most",
  ">": "above",
  ">=": "at least",
  in: "in a list or range",
  prefix: "begins with",
};

const numeric = (attribute: FilterAttribute | undefined) =>
  attribute?.type === "int" || attribute?.type === "float";

function values(attribute: FilterAttribute | undefined): Completion[] {
  switch (attribute?.type) {
    case "bool":
      return [{ label: "true" }, { label: "false" }];
    case "enum":
      return attribute.values.map((value) => ({ label: quote(value), type: "text" }));
    case "int":
    case "float":
      return [
        { label: String(attribute.min), detail: "least" },
        { label: String(attribute.max), detail: "most" },
      ];
    default:
      return [];
  }
}

/** The type of an attribute and its domain, in short. */
export function describeDomain(attribute: FilterAttribute): string {
  switch (attribute.type) {
    case "int":
    case "float":
      return `${attribute.type} ${attribute.min} … ${attribute.max}`;
    case "enum": {
      const shown = attribute.values.slice(0, 4).join(", ");
      return `enum ${shown}${attribute.values.length > 4 ? `, … (${attribute.values.length})` : ""}`;
    }
    default:
      return attribute.type;
  }
}
