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

const column = createColumnHelper<Participant>();

/** Publishers or subscribers: where they are, how many filters they have, what they did, and when they were seen. */
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
  const search = useDebouncedCallback((text: string) => setQ(text), 250);
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
          label="Search"
          placeholder="name or host"
          size="xs"
          defaultValue={q}
          onChange={(event) => search(event.currentTarget.value)}
        />
        <Picker
          label="Host"
          size="xs"
          w={150}
          placeholder="any"
          path="/api/v1/hosts/"
          value={host}
          onChange={setHost}
          clearable
        />
      </Group>
      <DataTable
        label={side.who === "publisher" ? "Publishers" : "Subscribers"}
        list={list}
        columns={columns}
        rowId={(row) => String(row.id)}
        ordering={ordering}
        onOrdering={setOrdering}
        empty={
          q || host ? (
            <Empty cause={`No ${side.who} is like that. Take a filter out to see more.`} />
          ) : (
            <Empty
              cause={
                side.who === "publisher"
                  ? "There is no publisher yet. A publisher is somebody at a host who advertises and sends events."
                  : "There is no subscriber yet. A subscriber is somebody at a host who subscribes and gets events."
              }
            >
              {next}
            </Empty>
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
      header: "Name",
      meta: { sort: "name" },
      cell: (cell) => <SingleLine>{cell.getValue()}</SingleLine>,
    }),
    column.accessor("host", {
      header: "Host",
      meta: { priority: "low" },
      cell: (cell) => <SingleLine>{cell.getValue()}</SingleLine>,
    }),
    column.accessor("origin", {
      header: "Registered by",
      meta: { priority: "low" },
      cell: (cell) => (cell.getValue() === "in-band" ? "the host" : "API"),
    }),
    column.accessor(filtersOf, {
      id: "filters",
      header: "Filters",
      meta: { align: "right" },
      cell: ({ row: { original } }) => (
        <Anchor
          component={Link}
          size="sm"
          to={`/participants?tab=${side.announcements}&who=${encodeURIComponent(original.name)}`}
          aria-label={`${filtersOf(original)} filters of ${original.name}`}
        >
          {number(filtersOf(original))}
        </Anchor>
      ),
    }),
    ...activityColumns<Participant>(side),
    column.display({
      id: "actions",
      header: () => <VisuallyHidden>Actions</VisuallyHidden>,
      meta: { align: "right" },
      cell: ({ row: { original } }) => (
        <Group gap={4} wrap="nowrap" justify="flex-end">
          {onAnnounce && (
            <Tooltip label={`${side.verb} for ${original.name}`}>
              <ActionIcon
                variant="subtle"
                aria-label={`${side.verb} for ${original.name}`}
                onClick={() => onAnnounce(original.name)}
              >
                <IconPlus size={16} />
              </ActionIcon>
            </Tooltip>
          )}
          {onRemove && (
            <Tooltip label={`Remove ${original.name}`}>
              <ActionIcon
                variant="subtle"
                color="red"
                aria-label={`Remove ${original.name}`}
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
