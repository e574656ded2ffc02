import { Anchor, Code, Drawer, Group, Stack, Table, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { WithHelp } from "@/common/documentation/HelpIcon";
import { Time } from "@/common/formatting/time";
import { UnreachableAlert } from "@/common/requests/Reachability";
import { StateBadge } from "@/common/requests/StateBadge";
import { text as common } from "@/common/text";
import { type Announcement, announcementName, eventsOf, filterText, ownerOf, sideOf } from "./kinds";
import { text } from "./text";

const CELLS = 200;

/** Details of an announcement: its filter, dz cells, requests and events. */
export function AnnouncementDetails({ row, onClose }: { row: Announcement; onClose: () => void }) {
  const side = sideOf("publisher" in row ? "publishers" : "subscribers");
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      title={text[side.who].announcement(announcementName(row))}
      closeButtonProps={{ "aria-label": common.close }}
    >
      <Stack>
        <UnreachableAlert reach={row.reach} unreachable={row.unreachable} />
        <Table variant="vertical" layout="fixed" aria-label={text.details.label}>
          <Table.Tbody>
            <Fact name={text.details.state}>
              <StateBadge state={row.state} />
            </Fact>
            <Fact name={text[side.who].owner}>{text.at(ownerOf(row), row.host)}</Fact>
            <Fact name={text.details.topic}>
              <Anchor component={Link} size="sm" to={`/topics/${encodeURIComponent(row.topic)}`}>
                {row.topic}
              </Anchor>
            </Fact>
            <Fact name={text.details.created}>
              <Time at={row.created_at} />
            </Fact>
            <Fact name={text[side.who].events}>
              {eventsOf(row)?.toLocaleString() ?? text.details.notReported}
            </Fact>
            <Fact name={text.details.lastSeen}>
              <Time at={row.last_seen_at} empty={text.details.never} />
            </Fact>
            <Fact name={text.details.requests}>
              <Group gap="sm">
                <RequestLink url={row.request} label={text.details.request} />
                <RequestLink url={row.withdrawal} label={text.details.withdrawal} />
              </Group>
            </Fact>
          </Table.Tbody>
        </Table>
        <div>
          <Text size="sm" fw={600} mb={4}>
            {text.details.filter}
          </Text>
          <Code block style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
            {filterText(row.filter)}
          </Code>
        </div>
        <div>
          <Text size="sm" fw={600} mb={4}>
            <WithHelp term="cell">{text.details.cells(row.dz.length)}</WithHelp>
          </Text>
          <Group gap={4}>
            {row.dz.slice(0, CELLS).map((cell) => (
              <Code key={cell}>{cell || text.details.wholeSpace}</Code>
            ))}
            {row.dz.length > CELLS && <Text size="sm">{text.details.more(row.dz.length - CELLS)}</Text>}
          </Group>
        </div>
      </Stack>
    </Drawer>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th w={130}>{name}</Table.Th>
      <Table.Td>{children}</Table.Td>
    </Table.Tr>
  );
}

function RequestLink({ url, label }: { url: string | null; label: (id: string) => string }) {
  const id = url?.match(/(\d+)\/$/)?.[1];
  if (!id) return null;
  return (
    <Anchor component={Link} size="sm" to={`/requests?row=${id}`}>
      {label(id)}
    </Anchor>
  );
}
