import {
  Box,
  Button,
  Group,
  Popover,
  Select,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from "@mantine/core";
import { IconFilter } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { useAddress, useChangeAddress } from "@/common/address";
import { advertisementName } from "@/common/formatting/names";
import { readPage } from "@/common/tables/list";
import { ChartCard } from "./ChartCard";
import { FILTERS, KINDS } from "./filters";
import { DEFAULT_SPAN, fromInput, rangeProblem, SPANS, toInput } from "./range";
import { CHARTS } from "./specs";
import { text } from "./text";

const WINDOWS = ["10 seconds", "1 minute", "5 minutes", "15 minutes", "1 hour", "1 day"];

/** Tab with all charts and their common time range, window and filters. */
export function Results() {
  const [window, setWindow] = useAddress("window");
  return (
    <Stack>
      <Group gap="xs" align="flex-end">
        <Span />
        <Select
          label={text.filters.window}
          w={300}
          data={[{ value: "", label: text.filters.scheduledWindow }, ...WINDOWS]}
          value={window}
          onChange={(value) => setWindow(value)}
          allowDeselect={false}
        />
        <Filters />
      </Group>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
        {CHARTS.map((spec) => (
          <ChartCard key={spec.id} spec={spec} />
        ))}
      </SimpleGrid>
    </Stack>
  );
}

function Span() {
  const [span] = useAddress("range", DEFAULT_SPAN);
  const [since] = useAddress("since");
  const [until] = useAddress("until");
  const set = useChangeAddress();
  const [opened, setOpened] = useState(false);
  const [from, setFrom] = useState(since);
  const [to, setTo] = useState(until);
  const problem = rangeProblem(from, to);
  const choose = (value: string | null) => {
    if (value === "fixed") {
      setFrom(since || new Date(Date.now() - 3_600_000).toISOString());
      setTo(until);
      setOpened(true);
    } else set({ since: null, until: null, range: value });
  };
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      trapFocus
      withArrow
      withRoles={false}
      position="bottom-start"
    >
      <Popover.Target>
        <Box>
          <Select
            label={text.time.label}
            w={170}
            data={[...SPANS, { value: "fixed", label: text.time.custom }]}
            value={span}
            onChange={choose}
            allowDeselect={false}
          />
        </Box>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          <TextInput
            type="datetime-local"
            label={text.time.from}
            value={toInput(from)}
            onChange={(event) => setFrom(fromInput(event.currentTarget.value))}
          />
          <TextInput
            type="datetime-local"
            label={text.time.to}
            description={text.time.toHelp}
            value={toInput(to)}
            onChange={(event) => setTo(fromInput(event.currentTarget.value))}
          />
          {problem && (
            <Text size="sm" c="red" role="alert">
              {problem}
            </Text>
          )}
          <Button
            disabled={problem !== null}
            onClick={() => {
              set({ since: from, until: to, range: "fixed" });
              setOpened(false);
            }}
          >
            {text.time.apply}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function Filters() {
  const [opened, setOpened] = useState(false);
  const [address] = useSearchParams();
  const set = useChangeAddress();
  const active = FILTERS.filter(({ name }) => address.get(name)).length;
  return (
    <Popover opened={opened} onChange={setOpened} withArrow position="bottom-start" width={320} trapFocus>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconFilter size={16} aria-hidden />}
          onClick={() => setOpened((before) => !before)}
        >
          {active > 0 ? text.filters.buttonWith(active) : text.filters.button}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          {FILTERS.map(({ name, label, path }) => (
            <NameFilter
              key={name}
              label={label}
              path={path}
              value={address.get(name)?.split(",") ?? []}
              onChange={(names) => set({ [name]: names.join(",") })}
            />
          ))}
          <Text size="xs" c="dimmed">
            {text.filters.help}
          </Text>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function NameFilter({
  label,
  path,
  value,
  onChange,
}: {
  label: string;
  path: string;
  value: string[];
  onChange: (value: string[]) => void;
}) {
  const known = useQuery({
    queryKey: [path, "names"],
    enabled: path !== "",
    staleTime: 60_000,
    queryFn: ({ signal }) => readPage<{ id: number; name?: string }>(path, { limit: 1000 }, signal),
  });
  const names = path
    ? (known.data?.results.map((row) => row.name ?? advertisementName(row.id)) ?? [])
    : KINDS;
  return (
    <TagsInput
      label={label}
      data={names}
      value={value}
      onChange={onChange}
      placeholder={value.length === 0 ? text.filters.all : undefined}
      limit={50}
      maxTags={100}
      clearable
      splitChars={[","]}
      comboboxProps={{ withinPortal: false }}
    />
  );
}
