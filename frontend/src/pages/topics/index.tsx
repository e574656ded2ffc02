import { Anchor, Button, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconPlus } from "@tabler/icons-react";
import { createColumnHelper } from "@tanstack/react-table";
import { Link } from "react-router";
import type { Schemas } from "@/api/client";
import { useMay } from "@/api/me";
import { useAddress } from "@/common/address";
import { Time } from "@/common/formatting/time";
import { Empty } from "@/common/layout/Empty";
import { PageHeader } from "@/common/layout/PageHeader";
import { DataTable } from "@/common/tables/DataTable";
import { useList } from "@/common/tables/list";
import { describeDomain } from "@/filters/completion";
import { useLiveRefresh } from "@/live/LiveProvider";
import { TopicForm } from "./TopicForm";

type Topic = Schemas["Topic"];
const PATH = "/api/v1/topics/";
const column = createColumnHelper<Topic>();
const ATTRIBUTES = 4;

const columns = [
  column.accessor("name", {
    header: "Topic",
    meta: { sort: "name" },
    cell: (cell) => (
      <Anchor component={Link} to={`/topics/${encodeURIComponent(cell.getValue())}`} fw={600}>
        {cell.getValue()}
      </Anchor>
    ),
  }),
  column.accessor("attributes", {
    header: "Attributes",
    meta: { priority: "low" },
    cell: (cell) => (
      <Text size="sm" lineClamp={1} title={cell.getValue().map(describeAttribute).join("; ")}>
        {cell.getValue().slice(0, ATTRIBUTES).map(describeAttribute).join("; ")}
        {cell.getValue().length > ATTRIBUTES && ` and ${cell.getValue().length - ATTRIBUTES} more`}
      </Text>
    ),
  }),
  column.accessor((row) => `${row.indexed.length} of ${row.attributes.length}`, {
    id: "indexed",
    header: "Indexed",
    meta: { priority: "low" },
  }),
  column.accessor("counts.advertisements", { header: "Advertisements", meta: { align: "right" } }),
  column.accessor("counts.subscriptions", { header: "Subscriptions", meta: { align: "right" } }),
  column.accessor("created_at", {
    header: "Made",
    meta: { priority: "low" },
    cell: (cell) => <Time at={cell.getValue()} />,
  }),
];

const describeAttribute = (attribute: Schemas["Attribute"]) =>
  `${attribute.name}: ${describeDomain(attribute)}`;

/** The topics. */
export function Component() {
  const [q, setQ] = useAddress("q");
  const [ordering, setOrdering] = useAddress("ordering", "name");
  const [making, setMaking] = useAddress("new");
  const search = useDebouncedCallback((text: string) => setQ(text), 250);
  const list = useList<Topic>(PATH, { q }, { ordering });
  const may = useMay("topics", "POST");
  useLiveRefresh(["request", "requests"], [PATH]);
  const make = may && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setMaking("topic")}>
      New topic
    </Button>
  );
  return (
    <Stack gap={0}>
      <PageHeader title="Topics">
        <TextInput
          aria-label="Search topics"
          placeholder="Search by name"
          defaultValue={q}
          onChange={(event) => search(event.currentTarget.value)}
        />
        {make}
      </PageHeader>
      <DataTable
        label="Topics"
        list={list}
        columns={columns}
        rowId={(row) => String(row.id)}
        ordering={ordering}
        onOrdering={setOrdering}
        empty={
          q ? (
            <Empty cause={`No topic has “${q}” in its name.`} />
          ) : (
            <Empty cause="There is no topic yet. A topic is an event space: attributes with types and domains, over which publishers advertise and subscribers filter.">
              {make}
            </Empty>
          )
        }
      />
      {may && <TopicForm opened={making === "topic"} onClose={() => setMaking(null)} />}
    </Stack>
  );
}
