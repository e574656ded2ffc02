import { Group, Loader, Text } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Time } from "@/common/formatting/time";
import { useLiveRefresh } from "@/live/LiveProvider";
import { readAnnouncement } from "./calls";
import { type Announcement, eventsOf, type Side } from "./kinds";
import { text } from "./text";

const EVERY = 3_000; // ms, used while the live stream is disconnected

/** First event of a new announcement (`name`: a7, q12), then the number of events. */
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
  if (events === 0 && matched === false) return null;
  return (
    <Group gap="xs" wrap="nowrap" data-events={events}>
      {events > 0 ? (
        <IconCircleCheck size={20} color="var(--mantine-color-green-7)" aria-hidden />
      ) : (
        <Loader size="xs" aria-hidden />
      )}
      <Text role="status">{events === 0 ? text[side.who].waiting : text[side.who].firstEvent}</Text>
      {events > 0 && (
        <Text c="dimmed" size="sm">
          {text.announcing.count(events)} <Time at={found.data?.last_seen_at} />
        </Text>
      )}
    </Group>
  );
}
