import { useCallback, useEffect } from "react";
import { useSearchParams } from "react-router";

/** The address as it was last asked for: what is on its way is not to be lost by the next change. */
let latest: URLSearchParams | null = null;

type Edit = (parameters: URLSearchParams) => void;

/** The parts of the address, and a way to edit them; edits that follow each other quickly all count. */
export function useParameters(): [URLSearchParams, (edit: Edit, push?: boolean) => void] {
  const [parameters, setParameters] = useSearchParams();
  useEffect(() => {
    latest = parameters;
  }, [parameters]);
  const change = useCallback(
    (edit: Edit, push = false) =>
      setParameters(
        (before) => {
          const after = new URLSearchParams(latest ?? before);
          edit(after);
          latest = after;
          return after;
        },
        { replace: !push },
      ),
    [setParameters],
  );
  return [parameters, change];
}

/**
 * A part of the view's state that is kept in its address, under `name`; `fallback` stands where the address has none
 * and is left out of it. Changing it replaces the address, so that "back" leads to the page before.
 */
export function useAddress(name: string, fallback = ""): [string, (value: string | null) => void] {
  const [parameters, change] = useParameters();
  const set = useCallback(
    (value: string | null) =>
      change((after) => {
        if (value === null || value === "" || value === fallback) after.delete(name);
        else after.set(name, value);
      }),
    [name, fallback, change],
  );
  return [parameters.get(name) ?? fallback, set];
}

/** Changes several parts of the address at once: null takes one out. `push` makes a step that "back" undoes. */
export function useChangeAddress(): (values: Record<string, string | null>, push?: boolean) => void {
  const [, change] = useParameters();
  return useCallback(
    (values, push = false) =>
      change((after) => {
        for (const [name, value] of Object.entries(values)) {
          if (value === null || value === "") after.delete(name);
          else after.set(name, value);
        }
      }, push),
    [change],
  );
}

/** The tab that is open, as the address has it; another tab begins with an address of its own. */
export function useTab(first: string): [string, (tab: string | null) => void] {
  const [parameters, setParameters] = useSearchParams();
  const open = useCallback(
    (tab: string | null) => setParameters(tab && tab !== first ? { tab } : {}, { replace: true }),
    [first, setParameters],
  );
  return [parameters.get("tab") ?? first, open];
}
