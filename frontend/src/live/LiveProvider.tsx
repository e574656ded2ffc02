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

/** The live stream of the dashboard. After lost events it repeats all queries. */
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
  if (!live) throw new Error("The component is not inside a LiveProvider.");
  return live;
}

/** State of the stream, and a function that reconnects immediately. */
export function useLiveState(): LiveState & { hurry: () => void } {
  const { state, hurry } = useLive();
  return { ...state, hurry };
}

/** Call `take` once per second with the new events of `kinds`, in order. */
export function useLiveEvents(kinds: readonly string[], take: (events: LiveEvent[]) => void): void {
  const { batches } = useLive();
  const latest = useRef(take);
  latest.current = take;
  const key = kinds.join(",");
  useEffect(() => batches.listen(key.split(","), (events) => latest.current(events)), [batches, key]);
}

/** Repeat the queries under `queryKey` after events of `kinds`, at most once per second. */
export function useLiveRefresh(kinds: readonly string[], queryKey: readonly unknown[]): void {
  const queries = useQueryClient();
  useLiveEvents(kinds, () => queries.invalidateQueries({ queryKey }));
}
