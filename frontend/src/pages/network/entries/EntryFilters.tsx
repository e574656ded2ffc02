import { Group, Select, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useMemo, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import { useChangeAddress } from "@/common/address";
import { Picker } from "@/common/forms/Picker";
import type { Network } from "../model/network";
import { peerNames, peersByPort } from "../model/ports";
import classes from "../network.module.css";

const PAUSE = 250; // ms of typing

type Name = "topic" | "dz" | "port";

/** Which entries of a table are shown, as the address has it. */
export function useEntryFilters() {
  const [parameters] = useSearchParams();
  const change = useChangeAddress();
  const values = {
    topic: parameters.get("topic") ?? "",
    dz: parameters.get("dz") ?? "",
    port: parameters.get("port") ?? "",
  };
  const set = (changed: Partial<Record<Name, string>>) => change({ ...changed, page: null, entry: null });
  return {
    ...values,
    asked: { topic: values.topic, dz: values.dz, in_port: values.port },
    any: Boolean(values.topic || values.dz || values.port),
    words: describeFilters(values),
    set,
    clear: () => set({ topic: "", dz: "", port: "" }),
  };
}

/** "of topic quotes, of a dz that covers 01 or lies below it, and for events from port 3 alone". */
function describeFilters({ topic, dz, port }: Record<Name, string>): string {
  const short = dz.length > 24 ? `${dz.slice(0, 24)}…` : dz;
  const parts = [
    topic && `of topic ${topic}`,
    dz && `of a dz that covers ${short} or lies below it`,
    port && `for events from port ${port} alone`,
  ].filter(Boolean);
  const last = parts.pop() ?? "";
  return parts.length === 0 ? last : `${parts.join(", ")}${parts.length > 1 ? "," : ""} and ${last}`;
}

/** Narrows the entries of a switch to a topic, to what covers or lies below a dz, to those for one port. */
export function EntryFilters({
  filters,
  network,
  name,
}: {
  filters: ReturnType<typeof useEntryFilters>;
  network: Network;
  name: string;
}) {
  const ports = useMemo(
    () =>
      [...peersByPort(network, name)]
        .sort(([a], [b]) => a - b)
        .map(([port, one]) => ({
          value: String(port),
          label: [port, peerNames(network, name, one)].filter(Boolean).join(" "),
        })),
    [network, name],
  );
  return (
    <Group gap={6} wrap="nowrap" align="flex-start" className={classes.filters}>
      <Picker
        path="/api/v1/topics/"
        label="Topic"
        placeholder="Any"
        size="xs"
        value={filters.topic}
        onChange={(topic) => filters.set({ topic })}
        clearable
      />
      <DzField value={filters.dz} onChange={(dz) => filters.set({ dz })} />
      <Select
        label="From port"
        placeholder="Any"
        size="xs"
        data={ports}
        value={filters.port || null}
        onChange={(port) => filters.set({ port: port ?? "" })}
        comboboxProps={{ width: 200, position: "bottom-end" }}
        clearable
      />
    </Group>
  );
}

function DzField({ value, onChange }: { value: string; onChange: (dz: string) => void }) {
  const [typed, setTyped] = useState(value);
  const sent = useRef(value); // what comes back from the address is not to undo what was typed meanwhile
  useEffect(() => {
    if (value !== sent.current) setTyped(value);
    sent.current = value;
  }, [value]);
  const wrong = /[^01]/.test(typed);
  const later = useDebouncedCallback((dz: string) => {
    sent.current = dz;
    onChange(dz);
  }, PAUSE);
  return (
    <TextInput
      label="Overlaps dz"
      placeholder="Any"
      size="xs"
      value={typed}
      inputMode="numeric"
      autoComplete="off"
      spellCheck={false}
      maxLength={128}
      error={wrong ? "Only 0 and 1." : undefined}
      onChange={({ currentTarget }) => {
        const text = currentTarget.value.trim();
        setTyped(text);
        if (!/[^01]/.test(text)) later(text);
      }}
    />
  );
}
