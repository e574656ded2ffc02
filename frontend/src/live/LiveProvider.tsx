import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from "react";
import { Batches } from "./batches";
import { type LiveEvent, type LiveState, Stream } from "./stream";

interface Live {
  state: LiveState;
  batches: Batches;
  hurry: () => void;
}

const Context = createContext<Live | null>(null);

/** One stream for the whole dashboard. What it missed for good is read anew: all queries are. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const [state, setState] = useState<LiveState>({ name: "connecting", heard: 0 });
  const [batches] = useState(() => new Batches());
  const stream = useRef<Stream | null>(null);
  const queries = useQueryClient();

  useEffect(() => {
    const opened = new Stream({
      event: (event) => batches.add(event),
      reload: () => queries.invalidateQueries(),
      state: setState,
    });
    stream.current = opened;
    opened.open();
    const hurry = () => document.hidden || opened.hurry();
    addEventListener("online", hurry);
    document.addEventListener("visibilitychange", hurry);
    return () => {
      opened.close();
      batches.stop();
      removeEventListener("online", hurry);
      document.removeEventListener("visibilitychange", hurry);
    };
  }, [batches, queries]);

  const live = useMemo(() => ({ state, batches, hurry: () => stream.current?.hurry() }), [state, batches]);
  return <Context value={live}>{children}</Context>;
}

function useLive(): Live {
  const live = useContext(Context);
  if (!live) throw new Error("There is no LiveProvider around this.");
  return live;
}

/** Whether the stream is there, and since when not. */
export function useLiveState(): LiveState & { hurry: () => void } {
  const { state, hurry } = useLive();
  return { ...state, hurry };
}

/** Calls `take` with the events of `kinds`, all of a second at once, in their order. */
export function useLiveEvents(kinds: readonly string[], take: (events: LiveEvent[]) => void): void {
  const { batches } = useLive();
  const latest = useRef(take);
  latest.current = take;
  const key = kinds.join(",");
  useEffect(() => batches.listen(key.split(","), (events) => latest.current(events)), [batches, key]);
}

/** Reads the queries under `queryKey` anew when events of `kinds` come, at most once a second. */
export function useLiveRefresh(kinds: readonly string[], queryKey: readonly unknown[]): void {
  const queries = useQueryClient();
  useLiveEvents(kinds, () => queries.invalidateQueries({ queryKey }));
}
