import { useCallback } from "react";
import { useSearchParams } from "react-router";

/**
 * A part of the view's state that is kept in its address, under `name`; `fallback` stands where the address has none
 * and is left out of it. Changing it replaces the address, so that "back" leads to the page before.
 */
export function useAddress(name: string, fallback = ""): [string, (value: string | null) => void] {
  const [parameters, setParameters] = useSearchParams();
  const set = useCallback(
    (value: string | null) =>
      setParameters(
        (before) => {
          const after = new URLSearchParams(before);
          if (value === null || value === "" || value === fallback) after.delete(name);
          else after.set(name, value);
          return after;
        },
        { replace: true },
      ),
    [name, fallback, setParameters],
  );
  return [parameters.get(name) ?? fallback, set];
}

/**
 * Changes several parts of the address at once: null takes one out. Two changes one after the other would lose the
 * first. `push` makes a step that "back" undoes.
 */
export function useChangeAddress(): (values: Record<string, string | null>, push?: boolean) => void {
  const [, setParameters] = useSearchParams();
  return useCallback(
    (values, push = false) =>
      setParameters(
        (before) => {
          const after = new URLSearchParams(before);
          for (const [name, value] of Object.entries(values)) {
            if (value === null || value === "") after.delete(name);
            else after.set(name, value);
          }
          return after;
        },
        { replace: !push },
      ),
    [setParameters],
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
