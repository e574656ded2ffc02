import { Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "@/api/client";
import { useLiveEvents } from "@/live/LiveProvider";
import { addSample, rate, type Totals } from "./model/counters";
import { fill, type Network } from "./model/network";
import { formatShort } from "./model/scales";
import classes from "./network.module.css";

const KEY = ["traffic", "totals"] as const;

/** What hosts report of events, over all of them, and the entries in the switches. */
export function Counters({ network }: { network: Network | undefined }) {
  const queries = useQueryClient();
  const { data: totals } = useQuery({
    queryKey: KEY,
    queryFn: async () => (await api.GET("/api/v1/traffic/totals/")).data,
  });
  const [samples, setSamples] = useState<Parameters<typeof addSample>[0]>([]);
  useLiveEvents(["traffic"], (events) => {
    for (const { payload, at } of events)
      setSamples((before) => addSample(before, payload as unknown as Totals, Date.parse(at)));
    queries.setQueryData(KEY, events.at(-1)?.payload);
  });
  const some = totals && totals.published + totals.delivered > 0 ? totals : undefined;
  const grows = (name: "published" | "delivered") => {
    const now = rate(samples, name);
    return now === null ? "" : `${formatShort(now)}/s`;
  };
  const share = (part: number, whole: number) =>
    whole > 0 ? `${((100 * part) / whole).toPrecision(2)} %` : "";
  const delay = some?.delay_ms;
  return (
    <dl className={classes.counters} data-counters>
      <Counter name="Published" value={some?.published} note={grows("published")} />
      <Counter name="Wanted" value={some?.wanted} />
      <Counter name="Delivered" value={some?.delivered} note={grows("delivered")} />
      <Counter name="Lost" value={some?.lost} note={some?.lost ? share(some.lost, some.wanted) : ""} bad />
      <Counter name="Doubled" value={some?.doubled} bad />
      <Counter
        name="Unwanted"
        value={some?.unwanted}
        note={some ? share(some.unwanted, some.delivered) : ""}
      />
      <Counter
        name="Delay p50 · p99"
        text={delay && delay.p50 !== null ? `${ms(delay.p50)} · ${ms(delay.p99)} ms` : "–"}
      />
      <Counter name="Entries" {...entries(network)} />
    </dl>
  );
}

function entries(network: Network | undefined) {
  const rows = [...(network?.switches.values() ?? [])];
  const full = rows.filter((row) => (fill(row) ?? 0) >= 1).length;
  return {
    value: network && rows.reduce((sum, row) => sum + row.entries, 0),
    note: full ? `${full} full` : "",
  };
}

function Counter({
  name,
  value,
  text,
  note = "",
  bad = false,
}: {
  name: string;
  value?: number;
  text?: string;
  note?: string;
  bad?: boolean;
}) {
  return (
    <div className={classes.counter} data-counter={name}>
      <dt>{name}</dt>
      <dd>
        <Text span fw={600} c={bad && value ? "red" : undefined}>
          {text ?? (value === undefined ? "–" : value.toLocaleString())}
        </Text>{" "}
        <Text span size="xs" c="dimmed">
          {note}
        </Text>
      </dd>
    </div>
  );
}

const ms = (value: number | null) =>
  value === null ? "–" : value >= 10 ? Math.round(value) : value.toFixed(1);
