import { Group, Loader, Text } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Time } from "@/common/formatting/time";
import { useLiveRefresh } from "@/live/LiveProvider";
import { readAnnouncement } from "./calls";
import { type Announcement, eventsOf, type Side } from "./kinds";

const EVERY = 3_000; // ms, where the live stream is away

/** Waits for the first event of a new announcement (`name`: a7, q12), and counts on. */
export function FirstEvent({ side, name, matched }: { side: Side; name: string; matched: boolean | null }) {
  const id = Number(name.slice(1));
  const key = [`/api/v1/${side.announcements}/`, "one", id];
  const found = useQuery<Announcement>({
    queryKey: key,
    refetchInterval: EVERY,
    queryFn: ({ signal }) => readAnnouncement(side, id, signal),
  });
  useLiveRefresh(["traffic"], key);
  const events = (found.data && eventsOf(found.data)) ?? 0;
  const done = side.what === "subscription" ? "delivered" : "published";
  if (events === 0 && matched === false) return null;
  return (
    <Group gap="xs" wrap="nowrap" data-events={events}>
      {events > 0 ? (
        <IconCircleCheck size={20} color="var(--mantine-color-green-7)" aria-hidden />
      ) : (
        <Loader size="xs" aria-hidden />
      )}
      <Text role="status">
        {events === 0
          ? `Waiting for its first event to be ${done}, as its host reports it.`
          : `The first event was ${done}.`}
      </Text>
      {events > 0 && (
        <Text c="dimmed" size="sm">
          {events.toLocaleString()} so far, the last at <Time at={found.data?.last_seen_at} />
        </Text>
      )}
    </Group>
  );
}
