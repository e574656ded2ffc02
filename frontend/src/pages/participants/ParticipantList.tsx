import { ActionIcon, Anchor, Group, TextInput, Tooltip, VisuallyHidden } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { createColumnHelper } from "@tanstack/react-table";
import { type ReactNode, useMemo } from "react";
import { Link } from "react-router";
import { useMay } from "@/api/me";
import { useAddress } from "@/common/address";
import { Picker } from "@/common/forms/Picker";
import { Empty } from "@/common/layout/Empty";
import { DataTable } from "@/common/tables/DataTable";
import { useList } from "@/common/tables/list";
import { useTrafficRefresh } from "@/common/traffic";
import { useLiveRefresh } from "@/live/LiveProvider";
import { activityColumns, number } from "./activity";
import { filtersOf, type Participant, type Side } from "./kinds";
import { SingleLine } from "./SingleLine";
import { text } from "./text";

const column = createColumnHelper<Participant>();

/** List of publishers or subscribers with their hosts, filters and events. */
export function ParticipantList({
  side,
  onAnnounce,
  onRemove,
  next,
}: {
  side: Side;
  onAnnounce: (name: string) => void;
  onRemove: (row: Participant) => void;
  next: ReactNode;
}) {
  const [q, setQ] = useAddress("q");
  const [host, setHost] = useAddress("host");
  const [ordering, setOrdering] = useAddress("ordering", "name");
  const search = useDebouncedCallback(setQ, 250);
  const path = `/api/v1/${side.owners}/`;
  const list = useList<Participant>(path, { q, host }, { ordering });
  const may = { announce: useMay(side.announcements, "POST"), remove: useMay(side.owners, "DELETE") };
  useLiveRefresh(["request", "requests"], [path]);
  useTrafficRefresh([path, "rows"]);
  const columns = useMemo(
    () => columnsOf(side, may.announce ? onAnnounce : null, may.remove ? onRemove : null),
    [side, may.announce, may.remove, onAnnounce, onRemove],
  );
  return (
    <>
      <Group gap="xs" mb="sm" align="flex-end">
        <TextInput
          label={text.list.search}
          placeholder={text.list.ownerHint}
          size="xs"
          defaultValue={q}
          onChange={(event) => search(event.currentTarget.value)}
        />
        <Picker
          label={text.list.host}
          size="xs"
          w={150}
          placeholder={text.list.any}
          path="/api/v1/hosts/"
          value={host}
          onChange={setHost}
          clearable
        />
      </Group>
      <DataTable
        label={text[side.who].owners}
        list={list}
        columns={columns}
        rowId={(row) => String(row.id)}
        ordering={ordering}
        onOrdering={setOrdering}
        empty={
          q || host ? (
            <Empty cause={text[side.who].noOwnerMatch} />
          ) : (
            <Empty cause={text[side.who].noOwner}>{next}</Empty>
          )
        }
      />
    </>
  );
}

function columnsOf(
  side: Side,
  onAnnounce: ((name: string) => void) | null,
  onRemove: ((row: Participant) => void) | null,
) {
  return [
    column.accessor("name", {
      header: text.list.name,
      meta: { sort: "name" },
      cell: (cell) => <SingleLine>{cell.getValue()}</SingleLine>,
    }),
    column.accessor("host", {
      header: text.list.host,
      meta: { priority: "low" },
      cell: (cell) => <SingleLine>{cell.getValue()}</SingleLine>,
    }),
    column.accessor("origin", {
      header: text.list.registeredBy,
      meta: { priority: "low" },
      cell: (cell) => (cell.getValue() === "in-band" ? text.list.inBand : text.list.api),
    }),
    column.accessor(filtersOf, {
      id: "filters",
      header: text.list.filters,
      meta: { align: "right" },
      cell: ({ row: { original } }) => (
        <Anchor
          component={Link}
          size="sm"
          to={`/participants?tab=${side.announcements}&who=${encodeURIComponent(original.name)}`}
          aria-label={text.list.filtersOf(original.name, filtersOf(original))}
        >
          {number(filtersOf(original))}
        </Anchor>
      ),
    }),
    ...activityColumns<Participant>(side),
    column.display({
      id: "actions",
      header: () => <VisuallyHidden>{text.list.actions}</VisuallyHidden>,
      meta: { align: "right" },
      cell: ({ row: { original } }) => (
        <Group gap={4} wrap="nowrap" justify="flex-end">
          {onAnnounce && (
            <Tooltip label={text[side.who].announceFor(original.name)}>
              <ActionIcon
                variant="subtle"
                aria-label={text[side.who].announceFor(original.name)}
                onClick={() => onAnnounce(original.name)}
              >
                <IconPlus size={16} />
              </ActionIcon>
            </Tooltip>
          )}
          {onRemove && (
            <Tooltip label={text.list.removeOf(original.name)}>
              <ActionIcon
                variant="subtle"
                color="red"
                aria-label={text.list.removeOf(original.name)}
                onClick={() => onRemove(original)}
              >
                <IconTrash size={16} />
              </ActionIcon>
            </Tooltip>
          )}
        </Group>
      ),
    }),
  ];
}
