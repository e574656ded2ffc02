import { useCallback } from "react";
import { useParameters } from "@/common/address";

/** Parameters of the address that belong to the selection, and are removed with it. */
const SELECTION_PARAMETERS = [
  ...["switch", "link", "host", "tab", "hops", "page", "port", "topic", "dz", "entry", "merged"],
  ...["method", "curve"],
];

export type Selection =
  | { kind: "switch"; name: string }
  | { kind: "link"; id: number }
  | { kind: "host"; name: string }
  | null;

/** The selection in the address. It replaces the address, so that "back" opens the previous page. */
export function useSelection(): [Selection, (selection: Selection, keep?: readonly string[]) => void] {
  const [parameters, change] = useParameters();
  const select = useCallback(
    (selection: Selection, keep: readonly string[] = []) =>
      change((now) => {
        for (const name of SELECTION_PARAMETERS) if (!keep.includes(name)) now.delete(name);
        if (selection)
          now.set(selection.kind, selection.kind === "link" ? String(selection.id) : selection.name);
      }),
    [change],
  );
  return [selectionOf(parameters), select];
}

/** Read the selection from an address. */
export function selectionOf(parameters: URLSearchParams): Selection {
  const [name, link, host] = ["switch", "link", "host"].map((kind) => parameters.get(kind));
  if (name) return { kind: "switch", name };
  if (link && /^\d+$/.test(link)) return { kind: "link", id: Number(link) };
  if (host) return { kind: "host", name: host };
  return null;
}

const PATH_PARAMETERS = ["path", "publisher", "values", "step"] as const;
type PathFields = Partial<Record<(typeof PATH_PARAMETERS)[number], string | null>>;

/** The traced event and the shown step, kept in the address. `set(null)` ends the trace. */
export function usePathQuestion() {
  const [parameters, change] = useParameters();
  const set = useCallback(
    (fields: PathFields | null) =>
      change((now) => {
        if (fields === null) {
          for (const name of PATH_PARAMETERS) now.delete(name);
          return;
        }
        now.set("path", "event");
        for (const [name, value] of Object.entries(fields)) {
          if (value === null) now.delete(name);
          else now.set(name, value);
        }
        for (const name of ["switch", "link", "host", "hops"]) now.delete(name);
      }),
    [change],
  );
  const step = parameters.get("step") ?? "";
  return {
    on: parameters.get("path") === "event",
    question: { publisher: parameters.get("publisher") ?? "", values: parameters.get("values") ?? "" },
    step: /^\d+$/.test(step) ? Number(step) : null,
    set,
  };
}
