import { useCallback, useEffect } from "react";
import { useSearchParams } from "react-router";

/** Address of the last change. The next change starts from it, even if the router has not applied it yet. */
let latest: URLSearchParams | null = null;

type Edit = (parameters: URLSearchParams) => void;

/** Parameters of the address, and a function that edits them. No edit is lost if several follow quickly. */
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
 * Value of the parameter `name` of the address, and a function that sets it.
 *
 * `fallback` is the value without the parameter, and is left out of the address. A change replaces the address, so "back"
 * returns to the previous page.
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

/** Function that changes several parameters together. Null removes one. With `push`, "back" reverts the change. */
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

/** Open tab, from the address. Another tab starts without the other parameters. */
export function useTab(first: string): [string, (tab: string | null) => void] {
  const [parameters, setParameters] = useSearchParams();
  const open = useCallback(
    (tab: string | null) => setParameters(tab && tab !== first ? { tab } : {}, { replace: true }),
    [first, setParameters],
  );
  return [parameters.get("tab") ?? first, open];
}
