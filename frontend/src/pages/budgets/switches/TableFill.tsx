import { Group, Progress, Text } from "@mantine/core";
import { limit, load, type Switch } from "../figures";

/** How full a table is, as a bar and in words. */
export function TableFill({ row }: { row: Switch }) {
  const share = load(row);
  if (share === null) return <Text size="sm">no limit</Text>;
  const percent = Math.round(share * 100);
  return (
    <Group gap={8} wrap="nowrap" aria-label={`${percent} % of ${limit(row)}`}>
      <Progress
        value={Math.min(100, percent)}
        color={share >= 0.95 ? "red" : share >= 0.8 ? "orange" : undefined}
        w={80}
        aria-hidden
      />
      <Text size="sm">{percent} %</Text>
    </Group>
  );
}
