import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  startCompletion,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { type Diagnostic, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState } from "@codemirror/state";
import { EditorView, keymap, placeholder as placeholderOf } from "@codemirror/view";
import { Box, Input } from "@mantine/core";
import { useId } from "@mantine/hooks";
import { type ReactNode, useEffect, useRef } from "react";
import type { Schemas } from "@/api/client";
import { nonce } from "@/nonce";
import { completions } from "./completion";
import { type FilterAttribute, unitOffset } from "./grammar";
import { appearance } from "./language";
import { text } from "./text";

export type Mistake = Schemas["Mistake"];

const PHRASES = { Completions: text.suggestions };

/**
 * A field for a filter with colours and suggestions from the topic's attributes (Ctrl+Space).
 *
 * `mistakes` are underlined. They belong to the text `of`, and are hidden while the field contains another text.
 */
export function FilterEditor({
  value,
  onChange,
  attributes,
  label,
  description,
  mistakes = [],
  of = value,
  placeholder = text.everyEvent,
  autoFocus = false,
}: {
  value: string;
  onChange: (filter: string) => void;
  attributes: readonly FilterAttribute[];
  label: string;
  description?: ReactNode;
  mistakes?: readonly Mistake[];
  of?: string;
  placeholder?: string;
  /** Whether a dialog moves the focus here when it opens. */
  autoFocus?: boolean;
}) {
  const id = useId();
  const parent = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const known = useRef(attributes);
  const changed = useRef(onChange);
  const sent = useRef(new Set<string>()); // a late update with one of these texts must not undo newer input
  known.current = attributes;
  changed.current = onChange;
  const state = useRef(new Compartment());
  const shown = of === value ? mistakes : [];

  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is created once and updated by transactions
  useEffect(() => {
    if (!parent.current) return;
    const made = new EditorView({
      parent: parent.current,
      state: EditorState.create({
        doc: value,
        extensions: [
          EditorView.cspNonce.of(nonce),
          history(),
          bracketMatching(),
          closeBrackets(),
          autocompletion({
            override: [(context) => completions(known.current, context)],
            icons: false,
            interactionDelay: 0, // Enter accepts a suggestion immediately: few filters have several lines
          }),
          keymap.of([...closeBracketsKeymap, ...completionKeymap, ...defaultKeymap, ...historyKeymap]),
          typedOver,
          EditorView.lineWrapping,
          EditorState.phrases.of(PHRASES),
          placeholderOf(placeholder),
          appearance,
          EditorView.updateListener.of((update) => {
            if (!update.docChanged) return;
            const typed = update.state.doc.toString();
            sent.current.add(typed);
            changed.current(typed);
          }),
          state.current.of(described(id, label, false, autoFocus)),
        ],
      }),
    });
    view.current = made;
    return () => {
      view.current = null;
      made.destroy();
    };
  }, []);

  useEffect(() => {
    const now = view.current?.state.doc.toString();
    if (now === value) sent.current.clear();
    else if (now !== undefined && !sent.current.has(value))
      view.current?.dispatch({ changes: { from: 0, to: now.length, insert: value } });
  }, [value]);

  useEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() !== value) return;
    const found = shown.map((mistake) => diagnostic(value, mistake));
    editor.dispatch(setDiagnostics(editor.state, found));
    editor.dispatch({
      effects: state.current.reconfigure(described(id, label, found.length > 0, autoFocus)),
    });
  }, [shown, value, id, label, autoFocus]);

  const names = attributes.map(({ name }) => name).join();
  // A word that was typed before the attributes were known gets its suggestions now.
  useEffect(() => {
    const editor = view.current;
    if (!editor?.hasFocus || !names) return;
    const { head } = editor.state.selection.main;
    if (/\w/.test(editor.state.sliceDoc(head - 1, head))) startCompletion(editor);
  }, [names]);

  const error = shown.map(({ detail }) => detail).join(" ");
  return (
    <Input.Wrapper
      label={label}
      description={description}
      error={error || undefined}
      labelElement="div"
      labelProps={{ onClick: () => view.current?.focus() }}
      descriptionProps={{ id: `${id}-description` }}
      errorProps={{ id: `${id}-error`, role: "status" }}
    >
      <Box ref={parent} mt={4} mb={error ? 4 : 0} data-filter-editor />
    </Input.Wrapper>
  );
}

/**
 * Replaces a selection with typed text. The browser would keep the style of the selection as an inline style, which the
 * content security policy forbids.
 */
const typedOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { from, to, empty } = view.state.selection.main;
    const typed = event.data;
    if (event.inputType !== "insertText" || !typed || empty || view.composing) return false;
    const insert = () =>
      view.state.update(view.state.replaceSelection(typed), {
        userEvent: "input.type",
        scrollIntoView: true,
      });
    const handlers = view.state.facet(EditorView.inputHandler);
    if (!handlers.some((handle) => handle(view, from, to, typed, insert))) view.dispatch(insert());
    event.preventDefault();
    return true;
  },
});

/** Attributes of the editor. With `data-mantine-stop-propagation`, Escape closes the suggestions, not the dialog. */
function described(id: string, label: string, wrong: boolean, first: boolean) {
  return EditorView.contentAttributes.of({
    "aria-label": label,
    "aria-describedby": wrong ? `${id}-description ${id}-error` : `${id}-description`,
    "aria-invalid": String(wrong),
    "data-mantine-stop-propagation": "true",
    spellcheck: "false",
    autocapitalize: "off",
    ...(first ? { "data-autofocus": "true" } : {}),
  });
}

function diagnostic(filter: string, { offset, length, detail }: Mistake): Diagnostic {
  const from = offset === null ? 0 : unitOffset(filter, offset);
  const to = offset === null ? filter.length : unitOffset(filter, offset + (length ?? 0));
  const empty = to <= from;
  return {
    from: empty ? Math.max(0, Math.min(from, filter.length) - 1) : from,
    to,
    severity: "error",
    message: detail,
  };
}
