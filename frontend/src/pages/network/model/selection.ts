import { useCallback } from "react";
import { useParameters } from "@/common/address";

/** Parts of the address that belong to what is selected, and go with it. */
const SELECTION_PARAMETERS = [
  ...["switch", "link", "host", "tab", "hops", "page", "port", "topic", "dz", "entry", "merged"],
  ...["method", "curve"],
];

export type Selection =
  | { kind: "switch"; name: string }
  | { kind: "link"; id: number }
  | { kind: "host"; name: string }
  | null;

/** What is selected, as the address has it. Selecting replaces the address, so that "back" leads to the page before. */
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

/** The selection that an address has. */
export function selectionOf(parameters: URLSearchParams): Selection {
  const [name, link, host] = ["switch", "link", "host"].map((kind) => parameters.get(kind));
  if (name) return { kind: "switch", name };
  if (link && /^\d+$/.test(link)) return { kind: "link", id: Number(link) };
  if (host) return { kind: "host", name: host };
  return null;
}

const PATH_PARAMETERS = ["path", "publisher", "values", "step"] as const;
type PathFields = Partial<Record<(typeof PATH_PARAMETERS)[number], string | null>>;

/** Which event is followed over the network, and how far; kept in the address. Null ends it. */
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
