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
import { text } from "../text";
import { HostPresence } from "./HostPresence";
import { PanelHead, type PanelProps } from "./PanelHead";

const { host: texts } = text;

/** A host: its port, its events, and its publishers and subscribers. */
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
        <Empty cause={texts.missing(name)} />
      </>
    );
  return (
    <Stack gap="sm">
      <PanelHead
        title={host.name}
        aside={texts.place(
          host.port,
          <Anchor
            component="button"
            size="sm"
            onClick={() => onSelect({ kind: "switch", name: host.switch })}
          >
            {switchName(network, host.switch)}
          </Anchor>,
        )}
        heading={heading}
        onClose={onClose}
      />
      <ProblemAlert problem={error} retry={() => void refetch()} />
      {data && (
        <Facts
          facts={[
            [texts.delivered, <DeliveredCount key="delivered" {...data} />],
            [
              texts.falsePositives,
              data.unwanted !== null && <FalsePositiveCount key="false-positives" {...data} />,
            ],
            [texts.lastEvent, <Time key="event" at={data.last_event_at} empty={texts.noEvent} />],
            [texts.address, <Code key="ip">{data.ip}</Code>],
            [texts.mac, <Code key="mac">{data.mac}</Code>],
            [texts.registration, data.origin === "in-band" ? texts.inBand : texts.api],
            [texts.lastMessage, data.last_seen_at && <Time key="control" at={data.last_seen_at} />],
          ]}
        />
      )}
      <HostPresence host={name} side="publishers" />
      <HostPresence host={name} side="subscribers" />
    </Stack>
  );
}

function DeliveredCount({ delivered }: { delivered: number | null }) {
  if (delivered === null) return texts.notReported;
  return <span data-delivered={delivered}>{texts.deliveredCount(delivered)}</span>;
}

/** Number of false positives, and their share of all delivered events. */
function FalsePositiveCount({ delivered, unwanted }: { delivered: number | null; unwanted: number | null }) {
  const count = unwanted ?? 0;
  const share = delivered ? formatPercent(count / delivered) : null;
  return <span data-unwanted={unwanted}>{texts.falsePositiveCount(count, share)}</span>;
}
