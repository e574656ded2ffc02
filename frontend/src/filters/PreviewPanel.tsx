import { Alert, Box, Code, Group, Loader, SimpleGrid, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { HelpIcon, type Term } from "@/common/documentation/HelpIcon";
import { formatDifference, formatExcess } from "@/common/formatting/figures";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { EntriesBySwitch } from "@/common/requests/EntriesBySwitch";
import { MergingNote } from "@/common/requests/MergingNote";
import { UnreachableAlert } from "@/common/requests/Reachability";
import type { Preview } from "./preview";
import { text } from "./text";

const { preview: texts } = text;

/** Cells, matches and additional entries of a filter, below its field. */
export function PreviewPanel({
  answer,
  busy,
  error,
  kind,
  known,
}: {
  answer: Preview | null;
  busy: boolean;
  error: unknown;
  kind: "subscription" | "advertisement";
  /** Whether the publisher or subscriber is known. Otherwise the additional entries are unknown. */
  known: boolean;
}) {
  if (error) return <ProblemAlert problem={error} />;
  if (!answer) return <Text c="dimmed">{busy ? texts.loading : texts.noTopic}</Text>;
  if (!answer.valid) return <Text c="dimmed">{texts.invalid}</Text>;
  return (
    <Stack gap="sm" aria-live="polite" aria-busy={busy} data-preview style={{ opacity: busy ? 0.6 : 1 }}>
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="xs">
        <Figure name={texts.cells} id="cells" help="cell">
          {answer.dz_cells?.toLocaleString()}
        </Figure>
        <Figure
          name={texts.excess}
          help="truncation"
          hint={answer.volume_error ? texts.excessEstimated : texts.excessHelp}
        >
          {formatExcess(answer.excess, answer.volume_error)}
        </Figure>
        <Figure name={kind === "subscription" ? texts.advertisements : texts.subscriptions}>
          {answer.overlap ? formatOverlap(answer.overlap) : "–"}
        </Figure>
        <Figure name={texts.entries} id="entries" help="entry">
          {answer.cost ? formatDifference(answer.cost.change) : "–"}
        </Figure>
      </SimpleGrid>
      {answer.unknown && (
        <Group gap="xs">
          <Loader size="xs" aria-hidden />
          <Text size="sm">{answer.unknown}</Text>
        </Group>
      )}
      <Warnings answer={answer} kind={kind} />
      <UnreachableAlert reach={answer.reach} unreachable={answer.unreachable} />
      <Cells answer={answer} />
      {!known && (
        <Text size="sm" c="dimmed">
          {texts.noParticipant[kind]}
        </Text>
      )}
      <MergingNote merging={answer.cost?.merging} />
      {answer.cost && <Entries cost={answer.cost} />}
    </Stack>
  );
}

function Figure({
  name,
  id = name,
  hint,
  help,
  children,
}: {
  name: string;
  /** Name of the figure for tests. */
  id?: string;
  hint?: string;
  help?: Term;
  children: ReactNode;
}) {
  return (
    <Box title={hint}>
      <Text size="xs" c="dimmed" component="div">
        {name} {help && <HelpIcon term={help} />}
      </Text>
      <Text fw={600} data-figure={id}>
        {children}
      </Text>
    </Box>
  );
}

function formatOverlap({ matched, looked_at, total }: NonNullable<Preview["overlap"]>): string {
  if (looked_at < total) return texts.matchedOfChecked(matched, looked_at, total);
  return texts.matched(matched, total);
}

function Warnings({ answer: { cost, overlap }, kind }: { answer: Preview; kind: string }) {
  const found: string[] = [];
  if (cost && !cost.accepted) found.push(cost.detail ?? texts.refused);
  if (cost && cost.budgets_exceeded.length > 0) found.push(texts.overBudget(cost.budgets_exceeded));
  const complete = overlap && overlap.looked_at >= overlap.total;
  if (complete && overlap.matched === 0)
    found.push(kind === "subscription" ? texts.noAdvertisement : texts.noSubscription);
  if (found.length === 0) return null;
  const serious = cost && (!cost.accepted || cost.budgets_exceeded.length > 0);
  return (
    <Alert
      color={serious ? "red" : "orange"}
      variant="light"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      p="xs"
    >
      {found.map((warning) => (
        <Text size="sm" key={warning}>
          {warning}
        </Text>
      ))}
    </Alert>
  );
}

function Cells({ answer }: { answer: Preview }) {
  return (
    <Box>
      <Text size="xs" c="dimmed" mb={4}>
        {texts.cells}
      </Text>
      <Group
        gap={4}
        style={{ maxHeight: 96, overflowY: "auto" }}
        tabIndex={0}
        role="group"
        aria-label={texts.cells}
      >
        {answer.dz.map((cell) => (
          <Code key={cell}>{cell || texts.wholeSpace}</Code>
        ))}
        {answer.more > 0 && <Text size="sm">{texts.more(answer.more)}</Text>}
      </Group>
    </Box>
  );
}

function Entries({ cost }: { cost: NonNullable<Preview["cost"]> }) {
  if (cost.entries.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {texts.noEntries}
      </Text>
    );
  return <EntriesBySwitch entries={cost.entries} />;
}
