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
