import { type Extension, RangeSetBuilder, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";
import { tokens } from "./grammar";

const coloured = StateField.define<DecorationSet>({
  create: (state) => decorations(state.doc.toString()),
  update: (before, change) => (change.docChanged ? decorations(change.state.doc.toString()) : before),
  provide: (field) => EditorView.decorations.from(field),
});

function decorations(text: string): DecorationSet {
  const built = new RangeSetBuilder<Decoration>();
  for (const { kind, from, to } of tokens(text))
    built.add(from, to, Decoration.mark({ class: `filter-${kind}` }));
  return built.finish();
}

const look = EditorView.theme({
  "&": {
    border: "1px solid var(--mantine-color-default-border)",
    borderRadius: "var(--mantine-radius-default)",
    backgroundColor: "var(--mantine-color-default)",
    color: "var(--mantine-color-text)",
    fontSize: "var(--mantine-font-size-sm)",
  },
  "&.cm-focused": { outline: "2px solid var(--mantine-primary-color-filled)", outlineOffset: "1px" },
  ".cm-content": {
    fontFamily: "var(--mantine-font-family-monospace)",
    padding: "8px 2px",
    minHeight: "3.4em",
    caretColor: "var(--mantine-color-text)",
  },
  ".cm-cursor": { borderLeftColor: "var(--mantine-color-text)" },
  ".cm-scroller": { maxHeight: "14em", overflow: "auto" },
  ".cm-placeholder": { color: "var(--mantine-color-placeholder)" },
  ".cm-lintRange-error": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--mantine-color-error)",
    textUnderlineOffset: "3px",
  },
  ".cm-tooltip": {
    backgroundColor: "var(--mantine-color-body)",
    color: "var(--mantine-color-text)",
    border: "1px solid var(--mantine-color-default-border)",
    borderRadius: "var(--mantine-radius-default)",
  },
  ".cm-tooltip-autocomplete > ul > li": { padding: "3px 8px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--mantine-primary-color-filled)",
    color: "var(--mantine-primary-color-contrast)",
  },
  ".filter-name": { color: "light-dark(#0b5a6e, #8fd3e3)" },
  ".filter-keyword, .filter-operator": { color: "light-dark(#7a3a94, #d3a5e8)", fontWeight: "600" },
  ".filter-number": { color: "light-dark(#8a3c0c, #f0b38c)" },
  ".filter-string": { color: "light-dark(#41621a, #b5d78a)" },
  ".cm-completionDetail": { fontStyle: "normal", opacity: "0.85" },
});

/** Colours of a filter's tokens, and the styles of the editor, in both themes. */
export const appearance: Extension = [coloured, look];
