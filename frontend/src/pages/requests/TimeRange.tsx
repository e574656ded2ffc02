import { Button, Group, Popover, Stack, TextInput } from "@mantine/core";
import { IconClock } from "@tabler/icons-react";
import { formatLocal } from "@/common/formatting/time";
import { asField, fromField } from "./range";

const SPANS = [
  { label: "15 minutes", ms: 900_000 },
  { label: "1 hour", ms: 3_600_000 },
  { label: "24 hours", ms: 86_400_000 },
];

/** From when until when, in the reader's zone; kept in UTC. */
export function TimeRange({
  from,
  to,
  setFrom,
  setTo,
}: {
  from: string;
  to: string;
  setFrom: (at: string | null) => void;
  setTo: (at: string | null) => void;
}) {
  const label =
    from || to
      ? `${from ? formatLocal(new Date(from)) : "…"} – ${to ? formatLocal(new Date(to)) : "now"}`
      : "Any time";
  return (
    <Popover position="bottom-start" trapFocus returnFocus withRoles={false}>
      <Popover.Target>
        <Button variant="default" leftSection={<IconClock size={16} aria-hidden />} aria-haspopup="dialog">
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label="Time">
        <Stack gap="xs">
          <Group gap={6}>
            {SPANS.map(({ label: words, ms }) => (
              <Button
                key={ms}
                size="compact-sm"
                variant="light"
                onClick={() => setFrom(new Date(Date.now() - ms).toISOString())}
              >
                Last {words}
              </Button>
            ))}
          </Group>
          <TextInput
            type="datetime-local"
            step={1}
            label="Received from"
            value={asField(from)}
            onChange={(event) => setFrom(fromField(event.currentTarget.value))}
          />
          <TextInput
            type="datetime-local"
            step={1}
            label="until"
            value={asField(to)}
            onChange={(event) => setTo(fromField(event.currentTarget.value))}
          />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
