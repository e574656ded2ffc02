import { Anchor, Badge, Code, Group, Text } from "@mantine/core";
import { IconArrowRight, IconDeviceDesktop, IconRouter } from "@tabler/icons-react";
import { useMemo } from "react";
import { Link } from "react-router";
import { type Hop, type HopNode, type Output, purposeOf, treeOf } from "./explanation";
import classes from "./PathTree.module.css";

const ORIGIN: Record<string, { words: string; color: string }> = {
  exact: { words: "exact", color: "green" },
  aggregated: { words: "merged", color: "orange" },
  unplanned: { words: "not in the plan", color: "red" },
};

/** The way of an event as a tree: each switch with the entry that matched, then where copies go and for whom. */
export function PathTree({ path }: { path: readonly Hop[] }) {
  const tree = useMemo(() => treeOf(path), [path]);
  if (!tree) return null;
  return (
    <ul className={classes.tree} data-way>
      <Node node={tree} />
    </ul>
  );
}

function Node({ node: { hop, outputs } }: { node: HopNode }) {
  return (
    <li data-hop={hop.switch}>
      <Group gap={8}>
        <IconRouter size={18} aria-hidden />
        <Anchor component={Link} to={`/network?switch=${encodeURIComponent(hop.switch)}`} fw={600}>
          {hop.switch}
        </Anchor>
        <Text size="sm" c="dimmed">
          from port {hop.in_port}
        </Text>
        <Entry hop={hop} />
      </Group>
      {outputs.length > 0 && (
        <ul>
          {outputs.map(({ output, next }) => (
            <li key={output.port} data-output={output.port}>
              <Destination output={output} />
              {next && (
                <ul>
                  <Node node={next} />
                </ul>
              )}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function Entry({ hop: { entry, origin } }: { hop: Hop }) {
  if (!entry) {
    return (
      <Text size="sm" c="dimmed">
        meets no entry, and ends here
      </Text>
    );
  }
  const told = ORIGIN[origin?.kind ?? ""];
  return (
    <>
      <Code style={{ overflowWrap: "anywhere" }}>
        {entry.dst}
        {entry.in_port === null ? "" : ` from port ${entry.in_port}`}
      </Code>
      <Text size="sm" c="dimmed">
        priority {entry.priority}
      </Text>
      {told && (
        <Badge variant="light" color={told.color} tt="none" miw="max-content">
          {told.words}
        </Badge>
      )}
      {origin && origin.subscriptions_count > 0 && (
        <Text size="sm" c="dimmed">
          of {formatNames(origin.subscriptions, origin.subscriptions_count)}
        </Text>
      )}
    </>
  );
}

function Destination({ output }: { output: Output }) {
  const whom = purposeOf(output);
  return (
    <Group gap={6}>
      <IconArrowRight size={16} aria-hidden />
      <Text size="sm">port {output.port}</Text>
      {output.host && (
        <Group gap={4}>
          <IconDeviceDesktop size={16} aria-hidden />
          <Text size="sm" fw={600}>
            {output.host}
          </Text>
        </Group>
      )}
      {output.next_switch && <Text size="sm">to {output.next_switch}</Text>}
      {output.problem && (
        <Badge variant="light" color="red" tt="none" miw="max-content">
          {output.problem}
        </Badge>
      )}
      <Text size="sm" c={whom === "nobody" ? "var(--mantine-color-error)" : "dimmed"} data-for={whom}>
        {whom === "match"
          ? `for ${formatNames(output.matching, output.matching_count)}`
          : whom === "truncation"
            ? `for the dz of ${formatNames(output.truncated, output.truncated_count)} alone: a false positive`
            : "for nobody: a needless copy"}
      </Text>
    </Group>
  );
}

/** "q1, q2 and 7 more" */
function formatNames(names: readonly string[], count: number): string {
  const shown = names.slice(0, 5);
  return count > shown.length ? `${shown.join(", ")} and ${count - shown.length} more` : shown.join(", ");
}
