import { Badge, Code, Group, Stack, Tabs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api } from "@/api/client";
import { useAddress } from "@/common/address";
import { Empty } from "@/common/layout/Empty";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { useLiveRefresh } from "@/live/LiveProvider";
import { Entries } from "../entries/Entries";
import { MergedEntries } from "../entries/MergedEntries";
import { tableText } from "../model/descriptions";
import { type NetSwitch, switchState, title } from "../model/network";
import { text } from "../text";
import { Budget } from "./Budget";
import { PanelHead, type PanelProps } from "./PanelHead";
import { Ports } from "./Ports";

const { tabs } = text.switch;

/** A switch: its table, ports and budget. */
export function SwitchPanel({ name, network, heading, onClose, onSelect }: PanelProps & { name: string }) {
  const [tab, setTab] = useAddress("tab", "entries");
  const row = network.switches.get(name);
  const key = ["switch", row?.id];
  const { data: more, error } = useQuery({
    queryKey: key,
    enabled: row !== undefined,
    queryFn: async () =>
      (await api.GET("/api/v1/switches/{id}/", { params: { path: { id: String(row?.id) } } })).data,
  });
  useLiveRefresh(["switch", "exact"], key);
  if (!row)
    return (
      <>
        <PanelHead title={name} heading={heading} onClose={onClose} />
        <Empty cause={text.switch.missing(name)} />
      </>
    );
  return (
    <Stack gap="xs">
      <PanelHead title={title(row)} aside={<About row={row} />} heading={heading} onClose={onClose} />
      {more?.problems.map((problem) => (
        <Text key={problem} size="sm" c="red">
          {problem}
        </Text>
      ))}
      <ProblemAlert problem={error} />
      <Tabs value={tab in tabs ? tab : "entries"} onChange={setTab} keepMounted={false}>
        <Tabs.List mb="xs">
          {Object.entries(tabs).map(([value, label]) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="entries">
          <Entries row={row} network={network} />
        </Tabs.Panel>
        <Tabs.Panel value="ports">
          {more && <Ports name={name} ports={more.ports} network={network} onSelect={onSelect} />}
          {more && (
            <Text size="xs" c="dimmed" mt="xs">
              {text.switch.datapath(<Code>{more.dpid}</Code>, more.address)}
            </Text>
          )}
        </Tabs.Panel>
        <Tabs.Panel value="budget">{more && <Budget row={more} />}</Tabs.Panel>
        <Tabs.Panel value="merged">
          <MergedEntries row={row} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

function About({ row }: { row: NetSwitch }) {
  const state = switchState(row);
  return (
    <Group gap={6}>
      <Badge size="sm" variant="light" color={state === "connected" ? "green" : "red"}>
        {text.states[state]}
      </Badge>
      {row.label && row.label !== row.name && <Code>{row.name}</Code>}
      <span>{tableText(row)}</span>
    </Group>
  );
}
