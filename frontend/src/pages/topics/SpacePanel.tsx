import { Box, Chip, Group, Loader, SegmentedControl, Select, Stack, Table, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { api, type Schemas } from "@/api/client";
import { useAddress, useChangeAddress } from "@/common/address";
import { Chart } from "@/common/charts/Chart";
import { useChartColors } from "@/common/charts/chartColors";
import { Time } from "@/common/formatting/time";
import { Empty } from "@/common/layout/Empty";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { useLiveRefresh } from "@/live/LiveProvider";
import { LAYERS, type Space, topicSpaceOption } from "./space";

const DEFAULT = "advertisements,subscriptions,events";
const ROWS = 100;
const EVERY = 5_000; // ms: events come without a word on the live stream

/** What lies where in the event space, over two attributes: a picture, and the same as a table. */
export function SpacePanel({ topic }: { topic: Schemas["Topic"] }) {
  const names = topic.attributes.map(({ name }) => name);
  const [x] = useAddress("x");
  const [y] = useAddress("y");
  const change = useChangeAddress();
  const [layers, setLayers] = useAddress("layers", DEFAULT);
  const [view, setView] = useAddress("view", "picture");
  const query = { x: names.includes(x) ? x : undefined, y: names.includes(y) && y !== x ? y : undefined };
  const key = ["topics/space", topic.id];
  const found = useQuery({
    queryKey: [...key, query],
    placeholderData: keepPreviousData,
    refetchInterval: EVERY,
    queryFn: async ({ signal }) =>
      (
        await api.GET("/api/v1/topics/{id}/space/", {
          params: { path: { id: String(topic.id) }, query },
          signal,
        })
      ).data,
  });
  useLiveRefresh(["request", "requests"], key);
  const space = found.data;
  const chosen = layers === "none" ? [] : layers.split(",");
  const colors = useChartColors();
  const option = useMemo(
    () => space && topicSpaceOption(space, layers.split(","), colors),
    [space, layers, colors],
  );
  if (found.error) return <ProblemAlert problem={found.error} retry={() => void found.refetch()} />;
  if (!space || !option) return <Loader role="status" m="md" aria-label="Loading the picture" />;
  const xName = space.x.attribute;
  const yName = space.y?.attribute ?? "";
  return (
    <Stack gap="sm">
      <Group gap="sm" align="flex-end">
        <Select
          label="Across"
          size="xs"
          w={170}
          data={names}
          value={xName}
          allowDeselect={false}
          onChange={(name) => change({ x: name, y: name === yName ? xName : yName })}
        />
        {space.y && (
          <Select
            label="Up"
            size="xs"
            w={170}
            data={names.filter((name) => name !== xName)}
            value={yName}
            allowDeselect={false}
            onChange={(name) => change({ x: xName, y: name })}
          />
        )}
        <SegmentedControl
          size="xs"
          aria-label="How it is shown"
          data={[
            { value: "picture", label: "Picture" },
            { value: "table", label: "Table" },
          ]}
          value={view}
          onChange={setView}
        />
      </Group>
      <Group gap={6} role="group" aria-label="What is shown">
        <Chip.Group multiple value={chosen} onChange={(now) => setLayers(inOrder(now) || "none")}>
          {LAYERS.map(({ value, label, color }) => (
            <Chip key={value} value={value} size="xs" variant="outline">
              <Swatch color={colors[color] ?? ""} /> {label} ({totals(space)[value].toLocaleString()})
            </Chip>
          ))}
        </Chip.Group>
      </Group>
      {nothing(space) ? (
        <Empty cause="Nobody has advertised or subscribed to this topic yet, so its event space is empty." />
      ) : view === "table" ? (
        <SpaceTable space={space} layers={chosen} />
      ) : (
        <Chart option={option} label={summary(space)} height={460} />
      )}
      <Truncated space={space} />
    </Stack>
  );
}

const inOrder = (chosen: readonly string[]) =>
  LAYERS.map(({ value }) => value)
    .filter((value) => chosen.includes(value))
    .join(",");

function Swatch({ color }: { color: string }) {
  return (
    <Box
      component="span"
      aria-hidden
      style={{ display: "inline-block", width: 10, height: 10, borderRadius: 2, background: color }}
    />
  );
}

const totals = (space: Space) => ({
  advertisements: space.advertisements.total,
  subscriptions: space.subscriptions.total,
  "advertisement-cells": space.advertisement_cells.total,
  "subscription-cells": space.subscription_cells.total,
  events: space.events.total,
});

const nothing = (space: Space) =>
  space.advertisements.total + space.subscriptions.total + space.events.total === 0;

function summary(space: Space): string {
  const told = totals(space);
  return (
    `Event space of ${space.topic} over ${space.x.attribute}${space.y ? ` and ${space.y.attribute}` : ""}: ` +
    `${told.advertisements} advertisements, ${told.subscriptions} subscriptions, ${told.events} recent events. ` +
    "The same is in the table."
  );
}

function Truncated({ space }: { space: Space }) {
  const cut = (["advertisements", "subscriptions", "events"] as const).filter(
    (kind) => space[kind].truncated,
  );
  if (cut.length === 0) return null;
  const told = cut.map((kind) => `${space[kind].items.length} of ${space[kind].total} ${kind}`);
  return (
    <Text size="xs" c="dimmed">
      The newest are shown: {told.join(", ")}.
    </Text>
  );
}

function SpaceTable({ space, layers }: { space: Space; layers: readonly string[] }) {
  const kinds = (["advertisements", "subscriptions"] as const).filter((kind) => layers.includes(kind));
  return (
    <Stack style={{ overflowX: "auto" }} tabIndex={0} role="region" aria-label="Event space as a table">
      {kinds.map((kind) => (
        <Table key={kind} miw={560} captionSide="top" aria-label={`${kind} in the event space`}>
          <Table.Caption>
            {kind === "advertisements" ? "Advertisements" : "Subscriptions"} ({space[kind].total})
          </Table.Caption>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Id</Table.Th>
              <Table.Th>Of</Table.Th>
              <Table.Th>Filter</Table.Th>
              <Table.Th>Part of the space</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {space[kind].items.map(({ id, name, owner, host, filter, boxes, truncated }) => (
              <Table.Tr key={id}>
                <Table.Td>{name}</Table.Td>
                <Table.Td>
                  {owner} at {host}
                </Table.Td>
                <Table.Td style={{ overflowWrap: "anywhere" }}>
                  {filter === null ? "by dz" : filter || "every event"}
                </Table.Td>
                <Table.Td>
                  {boxes.slice(0, 3).map((box) => (
                    <div key={box.join()}>{range(space, box)}</div>
                  ))}
                  {(boxes.length > 3 || truncated) && "and more"}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      ))}
      {layers.includes("advertisement-cells") && (
        <Cells space={space} what="dz of advertisements" cells={space.advertisement_cells} />
      )}
      {layers.includes("subscription-cells") && (
        <Cells space={space} what="dz of subscriptions" cells={space.subscription_cells} />
      )}
      {layers.includes("events") && <Events space={space} />}
    </Stack>
  );
}

function Cells({ space, what, cells }: { space: Space; what: string; cells: Space["subscription_cells"] }) {
  return (
    <Table captionSide="top" aria-label={`Event space: ${what}`}>
      <Table.Caption>
        {what} ({cells.total.toLocaleString()}){cells.items.length > ROWS ? `, the first ${ROWS} places` : ""}
      </Table.Caption>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Part of the space</Table.Th>
          <Table.Th ta="right">dz cells there</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {cells.items.slice(0, ROWS).map(({ box, cells: n }) => (
          <Table.Tr key={box.join()}>
            <Table.Td>{range(space, box)}</Table.Td>
            <Table.Td ta="right">{n.toLocaleString()}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Events({ space }: { space: Space }) {
  return (
    <Table captionSide="top" aria-label="Recent events in the event space">
      <Table.Caption>Recent events ({space.events.total}), the newest 50</Table.Caption>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Reported</Table.Th>
          <Table.Th>Advertisement</Table.Th>
          <Table.Th>{space.x.attribute}</Table.Th>
          {space.y && <Table.Th>{space.y.attribute}</Table.Th>}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {space.events.items.slice(0, 50).map(({ id, at, advertisement, x, y }) => (
          <Table.Tr key={id}>
            <Table.Td>
              <Time at={at} />
            </Table.Td>
            <Table.Td>{advertisement}</Table.Td>
            <Table.Td>{placed(space.x, x)}</Table.Td>
            {space.y && <Table.Td>{placed(space.y, y)}</Table.Td>}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

type Axis = Space["x"];

function range(space: Space, [left = 0, right = 0, bottom = 0, top = 0]: readonly number[]): string {
  const across = `${space.x.attribute} ${placed(space.x, left)} to ${placed(space.x, right)}`;
  return space.y
    ? `${across}, ${space.y.attribute} ${placed(space.y, bottom)} to ${placed(space.y, top)}`
    : across;
}

function placed(axis: Axis, at: number): string {
  if (axis.kind === "number") return at.toLocaleString();
  if (at <= axis.low) return "the first";
  if (at >= axis.high) return "the last";
  const nearest = axis.ticks.reduce<Axis["ticks"][number] | null>(
    (best, tick) => (best === null || Math.abs(tick.at - at) < Math.abs(best.at - at) ? tick : best),
    null,
  );
  return nearest?.label ?? String(at);
}
