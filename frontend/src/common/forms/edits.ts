// Edits of an object that other users edit at the same time.

import { useState } from "react";

/** Edited field: the new value, and the value that the user saw. */
interface Edit<V> {
  mine: V;
  seen: V;
}

export type Edits<T> = { [K in keyof T]?: Edit<T[K]> };

type Same = (a: unknown, b: unknown) => boolean;

const equal: Same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** Edited fields with values other than those of the server; only these are sent. */
export function changeOf<T extends object>(edits: Edits<T>, server: T, same = equal): Partial<T> {
  const change: Partial<T> = {};
  for (const name of names(edits)) {
    const edit = edits[name];
    if (edit && !same(edit.mine, server[name])) change[name] = edit.mine;
  }
  return change;
}

/** Edited fields that another user has changed to a different value since. */
export function conflictsOf<T extends object>(edits: Edits<T>, server: T, same = equal): (keyof T)[] {
  return names(edits).filter((name) => {
    const edit = edits[name];
    return edit && !same(edit.seen, server[name]) && !same(edit.mine, server[name]);
  });
}

const names = <T extends object>(edits: Edits<T>) => Object.keys(edits) as (keyof T)[];

/** State of a form: the values of the server, replaced by the user's edits. Other fields follow the server. */
export function useEdits<T extends object>(server: T, same: Same = equal) {
  const [edits, setEdits] = useState<Edits<T>>({});
  const without = (name: keyof T) =>
    setEdits((now) => {
      const { [name]: _, ...others } = now;
      return others as Edits<T>;
    });
  const put = (name: keyof T, edit: Edit<T[typeof name]>) =>
    setEdits((now) => ({ ...now, [name]: edit }) as Edits<T>);
  return {
    edits,
    values: { ...server, ...changeOf(edits, server, same) } as T,
    change: changeOf(edits, server, same),
    conflicts: conflictsOf(edits, server, same),
    edit: <K extends keyof T>(name: K, mine: T[K]) => {
      const before = edits[name];
      const seen = before && !same(before.mine, server[name]) ? before.seen : server[name];
      if (same(mine, server[name]) && same(seen, server[name])) without(name);
      else put(name, { mine, seen });
    },
    takeTheirs: without,
    keepMine: (name: keyof T) => {
      const edit = edits[name];
      if (edit) put(name, { ...edit, seen: server[name] });
    },
    clear: () => setEdits({}),
  };
}
