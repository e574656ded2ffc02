import { Anchor, Code, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api } from "@/api/client";
import { formatPercent } from "@/common/formatting/figures";
import { Time } from "@/common/formatting/time";
import { Empty } from "@/common/layout/Empty";
import { Facts } from "@/common/layout/Facts";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { useTrafficRefresh } from "@/common/traffic";
import { switchName } from "../model/descriptions";
import { HostPresence } from "./HostPresence";
import { PanelHead, type PanelProps } from "./PanelHead";

/** A host: where it is, what reached it, and who publishes and subscribes at it. */
export function HostPanel({ name, network, heading, onClose, onSelect }: PanelProps & { name: string }) {
  const host = network.hosts.get(name);
  const id = host?.id;
  const key = ["host", id];
  const { data, error, refetch } = useQuery({
    queryKey: key,
    enabled: id !== undefined,
    queryFn: async ({ signal }) =>
      (await api.GET("/api/v1/hosts/{id}/", { params: { path: { id: String(id) } }, signal })).data,
  });
  useTrafficRefresh(key);
  if (!host)
    return (
      <>
        <PanelHead title={name} heading={heading} onClose={onClose} />
        <Empty cause={`There is no host ${name}. It may have been removed.`} />
      </>
    );
  return (
    <Stack gap="sm">
      <PanelHead
        title={host.name}
        aside={
          <>
            Host at port {host.port} of{" "}
            <Anchor
              component="button"
              size="sm"
              onClick={() => onSelect({ kind: "switch", name: host.switch })}
            >
              {switchName(network, host.switch)}
            </Anchor>
          </>
        }
        heading={heading}
        onClose={onClose}
      />
      <ProblemAlert problem={error} retry={() => void refetch()} />
      {data && (
        <Facts
          facts={[
            ["Delivered", <DeliveredCount key="delivered" {...data} />],
            ["Unwanted", data.unwanted !== null && <UnwantedCount key="unwanted" {...data} />],
            ["Last event", <Time key="event" at={data.last_event_at} empty="none reported" />],
            ["Address", <Code key="ip">{data.ip}</Code>],
            ["MAC address", <Code key="mac">{data.mac}</Code>],
            ["Registered", data.origin === "in-band" ? "by itself, in band" : "over the API"],
            ["Last control message", data.last_seen_at && <Time key="control" at={data.last_seen_at} />],
          ]}
        />
      )}
      <HostPresence host={name} what="publishers" />
      <HostPresence host={name} what="subscribers" />
    </Stack>
  );
}

function DeliveredCount({ delivered }: { delivered: number | null }) {
  if (delivered === null) return <>not reported by anybody yet</>;
  return <span data-delivered={delivered}>{delivered.toLocaleString()} events</span>;
}

/** What came and nobody there wanted, and its share of all that came. */
function UnwantedCount({ delivered, unwanted }: { delivered: number | null; unwanted: number | null }) {
  const share = delivered && unwanted !== null ? ` (${formatPercent(unwanted / delivered)} of them)` : "";
  return (
    <span data-unwanted={unwanted}>
      {unwanted?.toLocaleString()}
      {share}
    </span>
  );
}
