import { Anchor, Badge, Code, Group, Text } from "@mantine/core";
import { IconArrowRight, IconDeviceDesktop, IconRouter } from "@tabler/icons-react";
import { useMemo } from "react";
import { Link } from "react-router";
import { HelpIcon } from "@/common/documentation/HelpIcon";
import { type Hop, type HopNode, type Output, purposeOf, treeOf } from "./explanation";
import classes from "./PathTree.module.css";
import { text } from "./text";

const ORIGIN: Record<string, { label: string; color: string }> = {
  exact: { label: text.path.origins.exact, color: "green" },
  aggregated: { label: text.path.origins.aggregated, color: "orange" },
  unplanned: { label: text.path.origins.unplanned, color: "red" },
};

/** Path of an event as a tree: switches with the matched entry and their copies. */
export function PathTree({ path }: { path: readonly Hop[] }) {
  const tree = useMemo(() => treeOf(path), [path]);
  if (!tree) return null;
  return (
    <ul className={classes.tree} data-way>
      <Node node={tree} help={firstUses(path)} />
    </ul>
  );
}

/** First hop with an entry and first redundant copy: both have a help icon. */
interface FirstUses {
  entry: Hop | undefined;
  redundantCopy: Output | undefined;
}

function firstUses(path: readonly Hop[]): FirstUses {
  const outputs = path.flatMap((hop) => hop.outputs);
  return {
    entry: path.find(({ entry }) => entry !== null),
    redundantCopy: outputs.find((output) => purposeOf(output) === "nobody"),
  };
}

function Node({ node: { hop, outputs }, help }: { node: HopNode; help: FirstUses }) {
  return (
    <li data-hop={hop.switch}>
      <Group gap={8}>
        <IconRouter size={18} aria-hidden />
        <Anchor component={Link} to={`/network?switch=${encodeURIComponent(hop.switch)}`} fw={600}>
          {hop.switch}
        </Anchor>
        <Text size="sm" c="dimmed">
          {text.path.ingressPort(hop.in_port)}
        </Text>
        <Entry hop={hop} />
        {hop === help.entry && <HelpIcon term="entry" />}
      </Group>
      {outputs.length > 0 && (
        <ul>
          {outputs.map(({ output, next }) => (
            <li key={output.port} data-output={output.port}>
              <Destination output={output} hasHelp={output === help.redundantCopy} />
              {next && (
                <ul>
                  <Node node={next} help={help} />
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
        {text.path.noEntry}
      </Text>
    );
  }
  const shown = ORIGIN[origin?.kind ?? ""];
  return (
    <>
      <Code style={{ overflowWrap: "anywhere" }}>{text.path.match(entry.dst, entry.in_port)}</Code>
      <Text size="sm" c="dimmed">
        {text.path.priority(entry.priority)}
      </Text>
      {shown && (
        <Badge variant="light" color={shown.color} tt="none" miw="max-content">
          {shown.label}
        </Badge>
      )}
      {origin && origin.subscriptions_count > 0 && (
        <Text size="sm" c="dimmed">
          {text.path.serves(
            formatNames(origin.subscriptions, origin.subscriptions_count),
            origin.subscriptions_count,
          )}
        </Text>
      )}
    </>
  );
}

function Destination({ output, hasHelp }: { output: Output; hasHelp: boolean }) {
  const whom = purposeOf(output);
  return (
    <Group gap={6}>
      <IconArrowRight size={16} aria-hidden />
      <Text size="sm">{text.path.port(output.port)}</Text>
      {output.host && (
        <Group gap={4}>
          <IconDeviceDesktop size={16} aria-hidden />
          <Text size="sm" fw={600}>
            {output.host}
          </Text>
        </Group>
      )}
      {output.next_switch && <Text size="sm">{text.path.to(output.next_switch)}</Text>}
      {output.problem && (
        <Badge variant="light" color="red" tt="none" miw="max-content">
          {output.problem}
        </Badge>
      )}
      <Text size="sm" c={whom === "nobody" ? "var(--mantine-color-error)" : "dimmed"} data-for={whom}>
        {whom === "match"
          ? text.path.forMatch(formatNames(output.matching, output.matching_count), output.matching_count)
          : whom === "truncation"
            ? text.path.forTruncation(formatNames(output.truncated, output.truncated_count))
            : text.path.forNobody}
      </Text>
      {hasHelp && <HelpIcon term="redundantCopy" />}
    </Group>
  );
}

/** Return the first five names and the number of the others: "q1, q2 and 7 more". */
function formatNames(names: readonly string[], count: number): string {
  const shown = names.slice(0, 5);
  return text.path.names(shown.join(", "), count - shown.length);
}
