import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { expectedAfter, type FilterAttribute, operators, quote, tokens } from "./grammar";
import { text } from "./text";

const VALUES = 4; // of an enumeration in its description

/** Suggestions at the cursor: names, operators and values of the topic's attributes. */
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

/** Suggestions after the text `before`. */
export function proposals(attributes: readonly FilterAttribute[], before: string): Completion[] {
  const next = expectedAfter(tokens(before));
  const named = (name: string) => attributes.find((each) => each.name === name);
  switch (next.part) {
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
        detail: text.operators[label],
      }));
    case "list":
      return [
        { label: "(", detail: text.list },
        ...(numeric(named(next.attribute)) ? [{ label: "[", detail: text.range }] : []),
      ];
    case "value":
      return values(named(next.attribute));
    case "join":
      return ["and", "or", ...(next.open ? [")"] : [])].map((label) => ({ label, type: "keyword" }));
    case "nothing":
      return [];
  }
}

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
        { label: String(attribute.min), detail: text.smallest },
        { label: String(attribute.max), detail: text.largest },
      ];
    default:
      return [];
  }
}

/** Type and domain of an attribute as a short text. */
export function describeDomain(attribute: FilterAttribute): string {
  switch (attribute.type) {
    case "int":
    case "float":
      return text.numberDomain(attribute.type, attribute.min, attribute.max);
    case "enum":
      return text.enumDomain(attribute.values.slice(0, VALUES), attribute.values.length);
    default:
      return attribute.type;
  }
}
