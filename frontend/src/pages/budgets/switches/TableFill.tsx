import { Group, Progress, Text } from "@mantine/core";
import { formatCount, limit, load, type Switch } from "../figures";
import { text } from "../text";

/** The fill of a table as a bar and in percent. */
export function TableFill({ row }: { row: Switch }) {
  const share = load(row);
  if (share === null) return <Text size="sm">{text.unlimited}</Text>;
  const percent = Math.round(share * 100);
  return (
    <Group gap={8} wrap="nowrap" aria-label={text.switches.fillOf(percent, formatCount(limit(row)))}>
      <Progress
        value={Math.min(100, percent)}
        color={share >= 0.95 ? "red" : share >= 0.8 ? "orange" : undefined}
        w={80}
        aria-hidden
      />
      <Text size="sm" style={{ whiteSpace: "nowrap" }}>
        {percent} %
      </Text>
    </Group>
  );
}
