import { Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "@/api/client";
import { HelpIcon, type Term } from "@/common/documentation/HelpIcon";
import { useLiveEvents } from "@/live/LiveProvider";
import { addSample, rate, type Totals } from "./model/counters";
import { fill, type Network } from "./model/network";
import { formatShort } from "./model/scales";
import classes from "./network.module.css";
import { text } from "./text";

const { counters: texts } = text;
const KEY = ["traffic", "totals"] as const;

/** Totals of events that all hosts report, and the number of entries in all switches. */
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
    return now === null ? "" : texts.rate(formatShort(now));
  };
  const share = (part: number, whole: number) =>
    whole > 0 ? texts.percent(((100 * part) / whole).toPrecision(2)) : "";
  const delay = some?.delay_ms;
  return (
    <dl className={classes.counters} data-counters>
      <Counter name={texts.published} value={some?.published} note={grows("published")} />
      <Counter name={texts.expected} value={some?.wanted} help="expected" />
      <Counter name={texts.delivered} value={some?.delivered} note={grows("delivered")} help="delivered" />
      <Counter
        name={texts.lost}
        value={some?.lost}
        note={some?.lost ? share(some.lost, some.wanted) : ""}
        bad
      />
      <Counter name={texts.duplicates} value={some?.doubled} bad help="duplicate" />
      <Counter
        name={texts.falsePositives}
        value={some?.unwanted}
        note={some ? share(some.unwanted, some.delivered) : ""}
        help="falsePositive"
      />
      <Counter
        name={texts.delay}
        shown={delay && delay.p50 !== null ? texts.delays(ms(delay.p50), ms(delay.p99)) : "–"}
      />
      <Counter name={texts.entries} {...entries(network)} help="entry" />
    </dl>
  );
}

function entries(network: Network | undefined) {
  const rows = [...(network?.switches.values() ?? [])];
  const full = rows.filter((row) => (fill(row) ?? 0) >= 1).length;
  return {
    value: network && rows.reduce((sum, row) => sum + row.entries, 0),
    note: full ? texts.full(full) : "",
  };
}

function Counter({
  name,
  value,
  shown,
  note = "",
  bad = false,
  help,
}: {
  name: string;
  value?: number;
  shown?: string;
  note?: string;
  bad?: boolean;
  help?: Term;
}) {
  return (
    <div className={classes.counter} data-counter={name}>
      <dt>
        {name}
        {help && <HelpIcon term={help} />}
      </dt>
      <dd>
        <Text span fw={600} c={bad && value ? "red" : undefined}>
          {shown ?? (value === undefined ? "–" : value.toLocaleString())}
        </Text>{" "}
        <Text span size="xs" c="dimmed">
          {note}
        </Text>
      </dd>
    </div>
  );
}

const ms = (value: number | null) =>
  value === null ? "–" : value >= 10 ? String(Math.round(value)) : value.toFixed(1);
