import { ActionIcon, Badge, Code, Group, Select, TextInput, Tooltip, VisuallyHidden } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconRefresh, IconTrash } from "@tabler/icons-react";
import { createColumnHelper } from "@tanstack/react-table";
import { type ReactNode, useMemo } from "react";
import { useMay } from "@/api/me";
import { useAddress } from "@/common/address";
import { Picker } from "@/common/forms/Picker";
import { Empty } from "@/common/layout/Empty";
import { ReachabilityBadge } from "@/common/requests/Reachability";
import { StateBadge } from "@/common/requests/StateBadge";
import { DataTable } from "@/common/tables/DataTable";
import { useList } from "@/common/tables/list";
import { useTrafficRefresh } from "@/common/traffic";
import { useLiveRefresh } from "@/live/LiveProvider";
import { activityColumns } from "./activity";
import { type Announcement, announcementName, filterText, ownerOf, type Side } from "./kinds";
import { SingleLine } from "./SingleLine";
import { text } from "./text";

const STATES = ["queued", "planning", "deploying", "active", "failed", "withdrawn"];
const OVER = ["failed", "withdrawn"];
const column = createColumnHelper<Announcement>();

/** List of advertisements or subscriptions with their state, events and actions. */
export function AnnouncementList({
  side,
  onWithdraw,
  onAgain,
  onDetails,
  next,
}: {
  side: Side;
  onWithdraw: (row: Announcement) => void;
  onAgain: (row: Announcement) => void;
  onDetails: (row: Announcement) => void;
  next: ReactNode;
}) {
  const [q, setQ] = useAddress("q");
  const [state, setState] = useAddress("state");
  const [topic, setTopic] = useAddress("topic");
  const [who, setWho] = useAddress("who");
  const [host, setHost] = useAddress("host");
  const [ordering, setOrdering] = useAddress("ordering", "-id");
  const search = useDebouncedCallback(setQ, 250);
  const path = `/api/v1/${side.announcements}/`;
  const list = useList<Announcement>(path, { q, state, topic, [side.who]: who, host }, { ordering });
  const may = { add: useMay(side.announcements, "POST"), withdraw: useMay(side.announcements, "DELETE") };
  useLiveRefresh(["request", "requests", "reach"], [path]);
  useTrafficRefresh([path, "rows"]);
  const columns = useMemo(
    () => columnsOf(side, may.withdraw ? onWithdraw : null, may.add ? onAgain : null),
    [side, may.withdraw, may.add, onWithdraw, onAgain],
  );
  const filtered = [q, state, topic, who, host].some(Boolean);
  return (
    <>
      <Group gap="xs" mb="sm" align="flex-end">
        <TextInput
          label={text.list.search}
          placeholder={text.list.announcementHint}
          size="xs"
          defaultValue={q}
          onChange={(event) => search(event.currentTarget.value)}
        />
        <Select
          label={text.list.state}
          size="xs"
          w={130}
          placeholder={text.list.any}
          data={STATES}
          value={state || null}
          onChange={setState}
          clearable
        />
        <Picker
          label={text.list.topic}
          size="xs"
          w={150}
          placeholder={text.list.any}
          path="/api/v1/topics/"
          value={topic}
          onChange={setTopic}
          clearable
        />
        <Picker
          label={text[side.who].owner}
          size="xs"
          w={150}
          placeholder={text.list.any}
          path={`/api/v1/${side.owners}/`}
          value={who}
          onChange={setWho}
          clearable
        />
        <Picker
          label={text.list.host}
          size="xs"
          w={130}
          placeholder={text.list.any}
          path="/api/v1/hosts/"
          value={host}
          onChange={setHost}
          clearable
        />
      </Group>
      <DataTable
        label={text[side.who].announcements}
        list={list}
        columns={columns}
        rowId={(row) => String(row.id)}
        ordering={ordering}
        onOrdering={setOrdering}
        onSelect={onDetails}
        empty={
          filtered ? (
            <Empty cause={text[side.who].noMatch} />
          ) : (
            <Empty cause={text[side.who].none}>{next}</Empty>
          )
        }
      />
    </>
  );
}

function columnsOf(
  side: Side,
  onWithdraw: ((row: Announcement) => void) | null,
  onAgain: ((row: Announcement) => void) | null,
) {
  return [
    column.accessor(announcementName, { id: "id", header: text.list.id, meta: { sort: "id" } }),
    column.accessor(ownerOf, {
      id: "owner",
      header: text[side.who].owner,
      cell: (cell) => <SingleLine>{cell.getValue()}</SingleLine>,
    }),
    column.accessor("host", {
      header: text.list.host,
      meta: { priority: "low" },
      cell: (cell) => <SingleLine>{cell.getValue()}</SingleLine>,
    }),
    column.accessor("topic", { header: text.list.topic, meta: { priority: "low" } }),
    column.accessor("filter", {
      header: text.list.filter,
      meta: { priority: "low" },
      cell: (cell) => (
        <Code
          title={filterText(cell.getValue())}
          style={{
            display: "inline-block",
            maxWidth: 300,
            overflow: "hidden",
            textOverflow: "ellipsis",
            whiteSpace: "nowrap",
            verticalAlign: "middle",
          }}
        >
          {filterText(cell.getValue())}
        </Code>
      ),
    }),
    column.accessor("state", {
      header: text.list.state,
      cell: ({ row: { original } }) => (
        <Group gap={4} wrap="nowrap">
          <StateBadge state={original.state} />
          {original.state === "active" && "matched" in original && original.matched === false && (
            <Tooltip label={text.list.noAdvertisement}>
              <Badge variant="light" color="orange" tabIndex={0}>
                {text.list.noMatch}
              </Badge>
            </Tooltip>
          )}
          <ReachabilityBadge reach={original.reach} unreachable={original.unreachable} />
        </Group>
      ),
    }),
    ...activityColumns<Announcement>(side, "low"),
    column.display({
      id: "actions",
      header: () => <VisuallyHidden>{text.list.actions}</VisuallyHidden>,
      meta: { align: "right" },
      cell: ({ row: { original } }) => {
        const over = OVER.includes(original.state);
        const again = over && original.filter !== null && onAgain;
        const withdrawable = original.state !== "withdrawn" && original.withdrawal === null && onWithdraw;
        return (
          <Group gap={4} wrap="nowrap" justify="flex-end">
            {again && (
              <Tooltip label={text.list.again}>
                <ActionIcon
                  variant="subtle"
                  aria-label={text.list.announceAgain(announcementName(original))}
                  onClick={(event) => {
                    event.stopPropagation();
                    again(original);
                  }}
                >
                  <IconRefresh size={16} />
                </ActionIcon>
              </Tooltip>
            )}
            {withdrawable && (
              <Tooltip label={original.state === "failed" ? text.list.remove : text.list.withdraw}>
                <ActionIcon
                  variant="subtle"
                  color="red"
                  aria-label={text.list.withdrawOf(announcementName(original))}
                  onClick={(event) => {
                    event.stopPropagation();
                    withdrawable(original);
                  }}
                >
                  <IconTrash size={16} />
                </ActionIcon>
              </Tooltip>
            )}
          </Group>
        );
      },
    }),
  ];
}
