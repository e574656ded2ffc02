import { Anchor, Badge, Button, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { api } from "@/api/client";
import { useMay } from "@/api/me";
import { type NetworkRequest, useNetworkRequest } from "@/api/request";
import { Chart } from "@/common/charts/Chart";
import { ConfirmDialog } from "@/common/layout/ConfirmDialog";
import { Empty } from "@/common/layout/Empty";
import { Facts } from "@/common/layout/Facts";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { useLiveRefresh } from "@/live/LiveProvider";
import { switchName } from "../model/descriptions";
import type { NetLink, Network } from "../model/network";
import { loadText } from "../model/scales";
import type { LoadSample } from "../model/useNetwork";
import { text } from "../text";
import { PanelHead, type PanelProps } from "./PanelHead";

const { link: texts } = text;

/** A link: its ends, state, load and losses. */
export function LinkPanel({ id, network, watched, heading, onClose, onSelect }: PanelProps & { id: number }) {
  const link = network.links.get(id);
  const key = ["link", id];
  const {
    data: more,
    error,
    refetch,
  } = useQuery({
    queryKey: key,
    enabled: link !== undefined,
    queryFn: async () =>
      (await api.GET("/api/v1/links/{id}/", { params: { path: { id: String(id) } } })).data,
  });
  useLiveRefresh(["link"], key);
  if (!link)
    return (
      <>
        <PanelHead title={texts.title(id)} heading={heading} onClose={onClose} />
        <Empty cause={texts.missing(id)} />
      </>
    );
  const ends = [
    { name: link.a, port: link.aPort },
    { name: link.b, port: link.bPort },
  ];
  return (
    <Stack gap="sm">
      <PanelHead
        title={texts.ends(switchName(network, link.a), switchName(network, link.b))}
        aside={
          <Badge size="sm" variant="light" color={link.up ? "green" : "red"}>
            {link.up ? text.up : text.down}
          </Badge>
        }
        heading={heading}
        onClose={onClose}
      />
      <Facts
        facts={[
          ...ends.map(
            ({ name, port }, i) =>
              [
                i === 0 ? texts.from : texts.to,
                <span key={name}>
                  {texts.end(
                    <Anchor component="button" size="sm" onClick={() => onSelect({ kind: "switch", name })}>
                      {switchName(network, name)}
                    </Anchor>,
                    port,
                  )}
                </span>,
              ] as const,
          ),
          [texts.load, link.up ? loadText(link.load) : texts.noTraffic],
          [texts.cost, more?.cost],
          [
            texts.lost,
            more && (
              <Text key="lost" span size="sm" c={more.lost ? "var(--mantine-color-error)" : undefined}>
                {more.lost ? texts.lostCount(more.lost) : texts.noneLost}
              </Text>
            ),
          ],
        ]}
      />
      <ProblemAlert problem={error} retry={() => void refetch()} />
      <Load samples={watched.get(id) ?? []} />
      <Service link={link} network={network} />
    </Stack>
  );
}

function Load({ samples }: { samples: readonly LoadSample[] }) {
  const count = samples.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list grows in place
  const option = useMemo(
    () => ({
      xAxis: { type: "time", splitNumber: 4, axisLabel: { hideOverlap: true } },
      yAxis: { type: "value", name: texts.packets, nameTextStyle: { align: "left" } },
      series: [
        {
          name: texts.packets,
          type: "line",
          showSymbol: false,
          areaStyle: { opacity: 0.15 },
          data: samples.map(({ at, packets }) => [at, Math.round(10 * packets) / 10]),
        },
      ],
    }),
    [count, samples.at(-1)?.at],
  );
  return (
    <div>
      {count > 1 ? (
        <Chart option={option} label={texts.chart} height={180} />
      ) : (
        <Text size="sm" c="dimmed">
          {texts.chartStarts}
        </Text>
      )}
    </div>
  );
}

function Service({ link, network }: { link: NetLink; network: Network }) {
  const may = useMay("links", "PATCH");
  const [opened, { open, close }] = useDisclosure(false);
  const change = useNetworkRequest(
    async (up: boolean) => {
      const { data } = await api.PATCH("/api/v1/links/{id}/", {
        params: { path: { id: String(link.id) } },
        body: { up },
      });
      return data as NetworkRequest | undefined;
    },
    {
      what: link.up ? texts.takenOut : texts.putBack,
      refresh: [["network"]],
    },
  );
  if (!may) return null;
  const ends = texts.ends(switchName(network, link.a), switchName(network, link.b));
  return (
    <Group>
      <Button variant="default" size="xs" onClick={open}>
        {link.up ? texts.takeOut : texts.putIn}
      </Button>
      <ConfirmDialog
        opened={opened}
        title={link.up ? texts.takeOutTitle(ends) : texts.putInTitle(ends)}
        action={link.up ? texts.takeOut : texts.putIn}
        danger={link.up}
        busy={change.isPending}
        problem={change.error}
        onClose={close}
        onConfirm={() => change.mutate(!link.up, { onSuccess: close })}
      >
        {link.up ? texts.takeOutHelp : texts.putInHelp}
      </ConfirmDialog>
    </Group>
  );
}
