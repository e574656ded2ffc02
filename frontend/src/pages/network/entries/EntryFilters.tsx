import { Group, Select, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useMemo, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import { useChangeAddress } from "@/common/address";
import { Picker } from "@/common/forms/Picker";
import type { Network } from "../model/network";
import { peerNames, peersByPort } from "../model/ports";
import classes from "../network.module.css";
import { text } from "../text";

const { entries: texts } = text;
const PAUSE = 250; // ms after the last key

type Name = "topic" | "dz" | "port";

/** Filters of the entries of a table, kept in the address. */
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
    set,
    clear: () => set({ topic: "", dz: "", port: "" }),
  };
}

/** Form to filter entries by topic, by dz (those that contain it or that it contains) and by ingress port. */
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
        label={texts.topicFilter}
        placeholder={texts.any}
        size="xs"
        value={filters.topic}
        onChange={(topic) => filters.set({ topic })}
        clearable
      />
      <DzField value={filters.dz} onChange={(dz) => filters.set({ dz })} />
      <Select
        label={texts.portFilter}
        placeholder={texts.any}
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
  const sent = useRef(value); // a late change of the address must not undo newer input
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
      label={texts.dzFilter}
      placeholder={texts.any}
      size="xs"
      value={typed}
      inputMode="numeric"
      autoComplete="off"
      spellCheck={false}
      maxLength={128}
      error={wrong ? texts.dzRule : undefined}
      onChange={({ currentTarget }) => {
        const now = currentTarget.value.trim();
        setTyped(now);
        if (!/[^01]/.test(now)) later(now);
      }}
    />
  );
}
