import { Select, type SelectProps } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { asProblem } from "@/api/problems";
import { chooseOnEnter } from "@/common/forms/chooseOnEnter";
import { type Filters, readPage } from "@/common/tables/list";
import { text } from "@/common/text";

const SHOWN = 50;

/** Field that searches a list of the API by name. The server searches, so the list may be long. */
export function Picker({
  path,
  filters = {},
  value,
  onChange,
  none = text.picker.none,
  ...rest
}: {
  path: string;
  filters?: Filters;
  value: string;
  onChange: (name: string) => void;
  /** Message if nothing is found. */
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
  const part = typing ? typed.trim().toLowerCase() : ""; // remove other names before the server responds
  const names = (found.data?.map(({ name }) => name) ?? []).filter((name) =>
    name.toLowerCase().includes(part),
  );
  const data = value && !names.includes(value) && !search ? [value, ...names] : names;
  return (
    <Select
      {...rest}
      onKeyDown={(event) => {
        rest.onKeyDown?.(event);
        chooseOnEnter(event, typing, names, onChange);
      }}
      data={data}
      value={value || null}
      onChange={(name) => onChange(name ?? "")}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      filter={({ options }) => options}
      nothingFoundMessage={
        found.error
          ? asProblem(found.error).detail
          : found.isFetching || search !== part
            ? text.picker.searching
            : none
      }
      // Select the first option again whenever it changes. So Enter selects it even after a late response.
      selectFirstOptionOnChange={(typing && names[0]) as boolean | undefined}
      maxDropdownHeight={280}
    />
  );
}
