import { Select, type SelectProps } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { asProblem } from "@/api/problems";
import { type Filters, read } from "./list";

const SHOWN = 50;

/** A field that finds one of a list of the API by its name, on the server, however long the list. */
export function Picker({
  path,
  filters = {},
  value,
  onChange,
  none = "Nothing is called like that.",
  ...rest
}: {
  path: string;
  filters?: Filters;
  value: string;
  onChange: (name: string) => void;
  /** What stands there when nothing is found. */
  none?: string;
} & Omit<SelectProps, "data" | "value" | "onChange">) {
  const [typed, setTyped] = useState(value);
  const [search] = useDebouncedValue(typed === value ? "" : typed, 200);
  const asked = { ...filters, q: search, ordering: "name", limit: SHOWN };
  const found = useQuery({
    queryKey: [path, "names", asked],
    staleTime: 10_000,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => (await read<{ name: string }>(path, asked, signal)).results,
  });
  const names = found.data?.map(({ name }) => name) ?? [];
  const data = value && !names.includes(value) && !search ? [value, ...names] : names;
  return (
    <Select
      {...rest}
      data={data}
      value={value || null}
      onChange={(name) => onChange(name ?? "")}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      filter={({ options }) => options}
      nothingFoundMessage={found.error ? asProblem(found.error).detail : found.isPending ? "Looking…" : none}
      selectFirstOptionOnChange
      maxDropdownHeight={280}
    />
  );
}
