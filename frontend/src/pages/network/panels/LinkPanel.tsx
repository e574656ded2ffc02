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
import { PanelHead, type PanelProps } from "./PanelHead";

/** A link: its ends, its load as it is watched, whether it is up, and what was lost on it. */
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
        <PanelHead title={`Link ${id}`} heading={heading} onClose={onClose} />
        <Empty cause={`There is no link ${id}. It may have been removed.`} />
      </>
    );
  const ends = [
    { name: link.a, port: link.aPort },
    { name: link.b, port: link.bPort },
  ];
  return (
    <Stack gap="sm">
      <PanelHead
        title={`${switchName(network, link.a)} – ${switchName(network, link.b)}`}
        aside={
          <Badge size="sm" variant="light" color={link.up ? "green" : "red"}>
            {link.up ? "up" : "down"}
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
                i === 0 ? "From" : "To",
                <span key={name}>
                  <Anchor component="button" size="sm" onClick={() => onSelect({ kind: "switch", name })}>
                    {switchName(network, name)}
                  </Anchor>
                  , port {port}
                </span>,
              ] as const,
          ),
          ["Load, both ways", link.up ? loadText(link.load) : "nothing crosses it"],
          ["Cost", more?.cost],
          [
            "Lost",
            more && (
              <Text key="lost" span size="sm" c={more.lost ? "var(--mantine-color-error)" : undefined}>
                {more.lost
                  ? `${more.lost.toLocaleString()} packets were sent into it that did not arrive`
                  : "no packet that is known of"}
              </Text>
            ),
          ],
        ]}
      />
      <ProblemAlert problem={error} retry={() => void refetch()} />
      <Load looks={watched.get(id) ?? []} />
      <Service link={link} network={network} />
    </Stack>
  );
}

function Load({ looks }: { looks: readonly LoadSample[] }) {
  const count = looks.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list grows in place
  const option = useMemo(
    () => ({
      xAxis: { type: "time", splitNumber: 4, axisLabel: { hideOverlap: true } },
      yAxis: { type: "value", name: "packets/s", nameTextStyle: { align: "left" } },
      series: [
        {
          name: "packets/s",
          type: "line",
          showSymbol: false,
          areaStyle: { opacity: 0.15 },
          data: looks.map(({ at, packets }) => [at, Math.round(10 * packets) / 10]),
        },
      ],
    }),
    [count, looks.at(-1)?.at],
  );
  return (
    <div>
      {count > 1 ? (
        <Chart option={option} label="Load of the link since the page was opened" height={180} />
      ) : (
        <Text size="sm" c="dimmed">
          Its load is drawn from here on; counters are read every two seconds.
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
      what: link.up ? "The link is out of service." : "The link is in service again.",
      refresh: [["network"]],
    },
  );
  if (!may) return null;
  const ends = `${switchName(network, link.a)} – ${switchName(network, link.b)}`;
  return (
    <Group>
      <Button variant="default" size="xs" onClick={open}>
        {link.up ? "Take out of service" : "Put into service"}
      </Button>
      <ConfirmDialog
        opened={opened}
        title={link.up ? `Take ${ends} out of service?` : `Put ${ends} into service?`}
        action={link.up ? "Take out of service" : "Put into service"}
        danger={link.up}
        busy={change.isPending}
        problem={change.error}
        onClose={close}
        onConfirm={() => change.mutate(!link.up, { onSuccess: close })}
      >
        {link.up
          ? "Trees that use it are led over other links. Where there is no other way, events no longer cross."
          : "Trees may use it again. Put it into service only when it works, or events sent into it are lost."}
      </ConfirmDialog>
    </Group>
  );
}
