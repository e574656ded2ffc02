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
import { text } from "./text";

type Topic = Schemas["Topic"];
const PATH = "/api/v1/topics/";
const column = createColumnHelper<Topic>();
const ATTRIBUTES = 4;

const columns = [
  column.accessor("name", {
    header: text.columns.name,
    meta: { sort: "name" },
    cell: (cell) => (
      <Anchor component={Link} to={`/topics/${encodeURIComponent(cell.getValue())}`} fw={600}>
        {cell.getValue()}
      </Anchor>
    ),
  }),
  column.accessor("attributes", {
    header: text.columns.attributes,
    meta: { priority: "low" },
    cell: (cell) => (
      <Text size="sm" lineClamp={1} title={cell.getValue().map(describeAttribute).join("; ")}>
        {describeAttributes(cell.getValue())}
      </Text>
    ),
  }),
  column.accessor((row) => text.indexedOf(row.indexed.length, row.attributes.length), {
    id: "indexed",
    header: text.columns.indexed,
    meta: { priority: "low" },
  }),
  column.accessor("counts.advertisements", { header: text.columns.advertisements, meta: { align: "right" } }),
  column.accessor("counts.subscriptions", { header: text.columns.subscriptions, meta: { align: "right" } }),
  column.accessor("created_at", {
    header: text.columns.created,
    meta: { priority: "low" },
    cell: (cell) => <Time at={cell.getValue()} />,
  }),
];

const describeAttribute = (attribute: Schemas["Attribute"]) =>
  text.attribute(attribute.name, describeDomain(attribute));

/** Return the first attributes with their domains, and the number of the others. */
function describeAttributes(attributes: readonly Schemas["Attribute"][]): string {
  const first = attributes.slice(0, ATTRIBUTES).map(describeAttribute).join("; ");
  const more = attributes.length - ATTRIBUTES;
  return more > 0 ? text.attributesAnd(first, more) : first;
}

/** Page with the list of topics. */
export function Component() {
  const [q, setQ] = useAddress("q");
  const [ordering, setOrdering] = useAddress("ordering", "name");
  const [making, setMaking] = useAddress("new");
  const search = useDebouncedCallback(setQ, 250);
  const list = useList<Topic>(PATH, { q }, { ordering });
  const may = useMay("topics", "POST");
  useLiveRefresh(["request", "requests"], [PATH]);
  const make = may && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setMaking("topic")}>
      {text.create}
    </Button>
  );
  return (
    <Stack gap={0}>
      <PageHeader title={text.title}>
        <TextInput
          aria-label={text.search}
          placeholder={text.searchHint}
          defaultValue={q}
          onChange={(event) => search(event.currentTarget.value)}
        />
        {make}
      </PageHeader>
      <DataTable
        label={text.title}
        list={list}
        columns={columns}
        rowId={(row) => String(row.id)}
        ordering={ordering}
        onOrdering={setOrdering}
        empty={q ? <Empty cause={text.noMatch(q)} /> : <Empty cause={text.none}>{make}</Empty>}
      />
      {may && <TopicForm opened={making === "topic"} onClose={() => setMaking(null)} />}
    </Stack>
  );
}
