import { Select, type SelectProps } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { asProblem } from "@/api/problems";
import { type Filters, readPage } from "@/common/tables/list";

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
  const [search] = useDebouncedValue(typed === value ? "" : typed.trim().toLowerCase(), 200);
  const asked = { ...filters, q: search, ordering: "name", limit: SHOWN };
  const found = useQuery({
    queryKey: [path, "names", asked],
    staleTime: 10_000,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => (await readPage<{ name: string }>(path, asked, signal)).results,
  });
  const typing = typed !== value;
  const part = typing ? typed.trim().toLowerCase() : ""; // what does not fit is gone before the server has answered
  const names = (found.data?.map(({ name }) => name) ?? []).filter((name) =>
    name.toLowerCase().includes(part),
  );
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
      nothingFoundMessage={
        found.error ? asProblem(found.error).detail : found.isFetching || search !== part ? "Looking…" : none
      }
      // The first is chosen again when another one becomes it, so that Enter takes it however late the answer comes.
      selectFirstOptionOnChange={(typing && names[0]) as boolean | undefined}
      maxDropdownHeight={280}
    />
  );
}
