import { Anchor, Code, Drawer, Group, Stack, Table, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { Time } from "@/common/formatting/time";
import { UnreachableAlert } from "@/common/requests/Reachability";
import { StateBadge } from "@/common/requests/StateBadge";
import { type Announcement, announcementName, eventsOf, filterText, ownerOf, sideOf } from "./kinds";

const CELLS = 200;

/** All of an announcement: its filter as a whole, its dz cells, its requests, and what it did. */
export function AnnouncementDetails({ row, onClose }: { row: Announcement; onClose: () => void }) {
  const side = sideOf("publisher" in row ? "publishers" : "subscribers");
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      title={`${side.what === "subscription" ? "Subscription" : "Advertisement"} ${announcementName(row)}`}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Stack>
        <UnreachableAlert reach={row.reach} unreachable={row.unreachable} />
        <Table variant="vertical" layout="fixed" aria-label="Details">
          <Table.Tbody>
            <Fact name="State">
              <StateBadge state={row.state} />
            </Fact>
            <Fact name={side.who === "publisher" ? "Publisher" : "Subscriber"}>
              {ownerOf(row)} at {row.host}
            </Fact>
            <Fact name="Topic">
              <Anchor component={Link} size="sm" to={`/topics/${encodeURIComponent(row.topic)}`}>
                {row.topic}
              </Anchor>
            </Fact>
            <Fact name="Made">
              <Time at={row.created_at} />
            </Fact>
            <Fact name={side.what === "subscription" ? "Delivered" : "Published"}>
              {eventsOf(row)?.toLocaleString() ?? "not reported"}
            </Fact>
            <Fact name="Last seen">
              <Time at={row.last_seen_at} empty="never" />
            </Fact>
            <Fact name="Requests">
              <Group gap="sm">
                <RequestLink url={row.request}>asked for</RequestLink>
                <RequestLink url={row.withdrawal}>withdrawn</RequestLink>
              </Group>
            </Fact>
          </Table.Tbody>
        </Table>
        <div>
          <Text size="sm" fw={600} mb={4}>
            Filter
          </Text>
          <Code block style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
            {filterText(row.filter)}
          </Code>
        </div>
        <div>
          <Text size="sm" fw={600} mb={4}>
            dz cells ({row.dz.length.toLocaleString()})
          </Text>
          <Group gap={4}>
            {row.dz.slice(0, CELLS).map((cell) => (
              <Code key={cell}>{cell || "the whole event space"}</Code>
            ))}
            {row.dz.length > CELLS && <Text size="sm">and {row.dz.length - CELLS} more</Text>}
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

function RequestLink({ url, children }: { url: string | null; children: ReactNode }) {
  const id = url?.match(/(\d+)\/$/)?.[1];
  if (!id) return null;
  return (
    <Anchor component={Link} size="sm" to={`/requests?row=${id}`}>
      {children}: {id}
    </Anchor>
  );
}
