import { Button, Group, Popover, Stack, TextInput } from "@mantine/core";
import { IconClock } from "@tabler/icons-react";
import { formatLocal } from "@/common/formatting/time";
import { asField, fromField } from "./range";
import { text } from "./text";

const SPANS = [
  { label: text.time.quarter, ms: 900_000 },
  { label: text.time.hour, ms: 3_600_000 },
  { label: text.time.day, ms: 86_400_000 },
];

/** Filter for a time range. It shows the user's time zone and stores UTC. */
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
      ? text.time.range(from ? formatLocal(new Date(from)) : null, to ? formatLocal(new Date(to)) : null)
      : text.time.any;
  return (
    <Popover position="bottom-start" trapFocus returnFocus withRoles={false}>
      <Popover.Target>
        <Button variant="default" leftSection={<IconClock size={16} aria-hidden />} aria-haspopup="dialog">
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label={text.time.label}>
        <Stack gap="xs">
          <Group gap={6}>
            {SPANS.map(({ label: words, ms }) => (
              <Button
                key={ms}
                size="compact-sm"
                variant="light"
                onClick={() => setFrom(new Date(Date.now() - ms).toISOString())}
              >
                {words}
              </Button>
            ))}
          </Group>
          <TextInput
            type="datetime-local"
            step={1}
            label={text.time.from}
            value={asField(from)}
            onChange={(event) => setFrom(fromField(event.currentTarget.value))}
          />
          <TextInput
            type="datetime-local"
            step={1}
            label={text.time.to}
            value={asField(to)}
            onChange={(event) => setTo(fromField(event.currentTarget.value))}
          />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
