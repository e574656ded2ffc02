import { Box, Chip, Group, Loader, SegmentedControl, Select, Stack, Table, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { api, type Schemas } from "@/api/client";
import { useAddress, useChangeAddress } from "@/common/address";
import { Chart } from "@/common/charts/Chart";
import { useChartColors } from "@/common/charts/chartColors";
import { HelpIcon } from "@/common/documentation/HelpIcon";
import { Time } from "@/common/formatting/time";
import { Empty } from "@/common/layout/Empty";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { useLiveRefresh } from "@/live/LiveProvider";
import { describeFilter, LAYERS, type Space, topicSpaceOption } from "./space";
import { text } from "./text";

const DEFAULT = "advertisements,subscriptions,cuts,events";
const ROWS = 100;
const EVENTS = 50;
const EVERY = 5_000; // ms; the live stream does not report events

/** Event space of a topic over two attributes, as a chart or as a table. */
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
  if (!space || !option) return <Loader role="status" m="md" aria-label={text.space.loading} />;
  const xName = space.x.attribute;
  const yName = space.y?.attribute ?? "";
  return (
    <Stack gap="sm">
      <Group gap="sm" align="flex-end">
        <Select
          label={text.space.x}
          size="xs"
          w={170}
          data={names}
          value={xName}
          allowDeselect={false}
          onChange={(name) => change({ x: name, y: name === yName ? xName : yName })}
        />
        {space.y && (
          <Select
            label={text.space.y}
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
          aria-label={text.space.view}
          data={[
            { value: "picture", label: text.space.chart },
            { value: "table", label: text.space.table },
          ]}
          value={view}
          onChange={setView}
        />
      </Group>
      <Group gap={6} role="group" aria-label={text.space.layers}>
        <Chip.Group multiple value={chosen} onChange={(now) => setLayers(inOrder(now) || "none")}>
          {LAYERS.map(({ value, label, color }) => (
            <Chip key={value} value={value} size="xs" variant="outline">
              <Swatch color={colors[color] ?? ""} /> {text.space.layer(label, totals(space)[value])}
            </Chip>
          ))}
        </Chip.Group>
        <HelpIcon term="cell" />
      </Group>
      {nothing(space) ? (
        <Empty cause={text.space.empty} />
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
  cuts: space.cuts.total,
  events: space.events.total,
});

const nothing = (space: Space) =>
  space.advertisements.total + space.subscriptions.total + space.events.total === 0;

function summary(space: Space): string {
  const axes = [space.x.attribute, ...(space.y ? [space.y.attribute] : [])];
  return text.space.summary(space.topic, axes, totals(space));
}

function Truncated({ space }: { space: Space }) {
  const cut = (["advertisements", "subscriptions", "events"] as const).filter(
    (kind) => space[kind].truncated,
  );
  if (cut.length === 0) return null;
  return (
    <Text size="xs" c="dimmed">
      {cut.map((kind) => text.space.newest[kind](space[kind].items.length, space[kind].total)).join("; ")}
    </Text>
  );
}

function SpaceTable({ space, layers }: { space: Space; layers: readonly string[] }) {
  const kinds = (["advertisements", "subscriptions"] as const).filter((kind) => layers.includes(kind));
  return (
    <Stack style={{ overflowX: "auto" }} tabIndex={0} role="region" aria-label={text.space.tables.label}>
      {kinds.map((kind) => (
        <Table key={kind} miw={560} captionSide="top" aria-label={text.space.tables[kind]}>
          <Table.Caption>
            {kind === "advertisements"
              ? text.space.tables.advertisementCaption(space[kind].total)
              : text.space.tables.subscriptionCaption(space[kind].total)}
          </Table.Caption>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{text.space.tables.id}</Table.Th>
              <Table.Th>{text.space.tables.owner}</Table.Th>
              <Table.Th>{text.space.tables.filter}</Table.Th>
              <Table.Th>{text.space.tables.range}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {space[kind].items.map(({ id, name, owner, host, filter, boxes, truncated }) => (
              <Table.Tr key={id}>
                <Table.Td>{name}</Table.Td>
                <Table.Td>{text.space.owner(owner, host)}</Table.Td>
                <Table.Td style={{ overflowWrap: "anywhere" }}>{describeFilter(filter)}</Table.Td>
                <Table.Td>
                  {boxes.slice(0, 3).map((box) => (
                    <div key={box.join()}>{range(space, box)}</div>
                  ))}
                  {(boxes.length > 3 || truncated) && text.space.tables.moreRanges}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      ))}
      {layers.includes("advertisement-cells") && (
        <Cells
          space={space}
          layer={text.space.layerNames["advertisement-cells"]}
          cells={space.advertisement_cells}
        />
      )}
      {layers.includes("subscription-cells") && (
        <Cells
          space={space}
          layer={text.space.layerNames["subscription-cells"]}
          cells={space.subscription_cells}
        />
      )}
      {layers.includes("events") && <Events space={space} />}
    </Stack>
  );
}

function Cells({ space, layer, cells }: { space: Space; layer: string; cells: Space["subscription_cells"] }) {
  return (
    <Table captionSide="top" aria-label={text.space.tables.cells(layer)}>
      <Table.Caption>
        {cells.items.length > ROWS
          ? text.space.tables.firstRanges(layer, cells.total, ROWS)
          : text.space.tables.cellCaption(layer, cells.total)}
      </Table.Caption>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{text.space.tables.range}</Table.Th>
          <Table.Th ta="right">{text.space.tables.cellCount}</Table.Th>
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
    <Table captionSide="top" aria-label={text.space.tables.events}>
      <Table.Caption>{text.space.tables.newestEvents(space.events.total, EVENTS)}</Table.Caption>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{text.space.tables.reported}</Table.Th>
          <Table.Th>{text.space.tables.advertisement}</Table.Th>
          <Table.Th>{space.x.attribute}</Table.Th>
          {space.y && <Table.Th>{space.y.attribute}</Table.Th>}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {space.events.items.slice(0, EVENTS).map(({ id, at, advertisement, x, y }) => (
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
  const x = text.space.range(space.x.attribute, placed(space.x, left), placed(space.x, right));
  if (!space.y) return x;
  return `${x}, ${text.space.range(space.y.attribute, placed(space.y, bottom), placed(space.y, top))}`;
}

function placed(axis: Axis, at: number): string {
  if (axis.kind === "number") return at.toLocaleString();
  if (at <= axis.low) return text.space.firstValue;
  if (at >= axis.high) return text.space.lastValue;
  const nearest = axis.ticks.reduce<Axis["ticks"][number] | null>(
    (best, tick) => (best === null || Math.abs(tick.at - at) < Math.abs(best.at - at) ? tick : best),
    null,
  );
  return nearest?.label ?? String(at);
}
