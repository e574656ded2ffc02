import { Alert, Box, Code, Group, Loader, SimpleGrid, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { formatDifference, formatPercent } from "@/common/formatting/figures";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { EntriesBySwitch } from "@/common/requests/EntriesBySwitch";
import { MergingNote } from "@/common/requests/MergingNote";
import { UnreachableAlert } from "@/common/requests/Reachability";
import type { Preview } from "./preview";

/** What a filter means and would cost, below the field that it is typed in. */
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
  /** Whether it is said who announces it: only then there is a cost. */
  known: boolean;
}) {
  if (error) return <ProblemAlert problem={error} />;
  if (!answer)
    return <Text c="dimmed">{busy ? "Asking the server…" : "Choose a topic to see its cost."}</Text>;
  if (!answer.valid) return <Text c="dimmed">Dz cells and cost are shown once the filter can be read.</Text>;
  return (
    <Stack gap="sm" aria-live="polite" aria-busy={busy} data-preview style={{ opacity: busy ? 0.6 : 1 }}>
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="xs">
        <Figure name="dz cells">{answer.dz_cells?.toLocaleString()}</Figure>
        <Figure name="excess volume" hint="what the cells hold beyond the filter, as a share of it">
          {formatPercent(answer.excess)}
        </Figure>
        <Figure name={kind === "subscription" ? "advertisements met" : "subscriptions met"}>
          {answer.overlap ? met(answer.overlap) : "–"}
        </Figure>
        <Figure name="entries">{answer.cost ? formatDifference(answer.cost.change) : "–"}</Figure>
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
          Choose who announces it to see the entries that it takes in each switch.
        </Text>
      )}
      <MergingNote merging={answer.cost?.merging} />
      {answer.cost && <Entries cost={answer.cost} />}
    </Stack>
  );
}

function Figure({ name, hint, children }: { name: string; hint?: string; children: ReactNode }) {
  return (
    <Box title={hint}>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text fw={600} data-figure={name}>
        {children}
      </Text>
    </Box>
  );
}

function met({ matched, looked_at, total }: NonNullable<Preview["overlap"]>): string {
  const all =
    looked_at < total ? `${looked_at.toLocaleString()} looked at, of ${total.toLocaleString()}` : total;
  return `${matched.toLocaleString()} of ${all.toLocaleString()}`;
}

function Warnings({ answer: { cost, overlap }, kind }: { answer: Preview; kind: string }) {
  const found: string[] = [];
  if (cost && !cost.accepted) found.push(cost.detail ?? "The network would not take it.");
  if (cost && cost.budgets_exceeded.length > 0)
    found.push(
      `It does not fit the TCAM budget of ${cost.budgets_exceeded.join(", ")}. Raise the budget, merge entries ` +
        "there (page Budgets), or make the filter coarser.",
    );
  const complete = overlap && overlap.looked_at >= overlap.total;
  if (complete && overlap.matched === 0)
    found.push(
      kind === "subscription"
        ? "No advertisement meets it: it can be saved, and receives events once one does."
        : "No subscription meets it: its events go nowhere until one does.",
    );
  if (found.length === 0) return null;
  const serious = cost && (!cost.accepted || cost.budgets_exceeded.length > 0);
  return (
    <Alert
      color={serious ? "red" : "orange"}
      variant="light"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      p="xs"
    >
      {found.map((text) => (
        <Text size="sm" key={text}>
          {text}
        </Text>
      ))}
    </Alert>
  );
}

function Cells({ answer }: { answer: Preview }) {
  return (
    <Box>
      <Text size="xs" c="dimmed" mb={4}>
        dz cells
      </Text>
      <Group
        gap={4}
        style={{ maxHeight: 96, overflowY: "auto" }}
        tabIndex={0}
        role="group"
        aria-label="dz cells"
      >
        {answer.dz.map((cell) => (
          <Code key={cell}>{cell || "the whole event space"}</Code>
        ))}
        {answer.more > 0 && <Text size="sm">and {answer.more.toLocaleString()} more</Text>}
      </Group>
    </Box>
  );
}

function Entries({ cost }: { cost: NonNullable<Preview["cost"]> }) {
  if (cost.entries.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No switch needs another entry.
      </Text>
    );
  return <EntriesBySwitch entries={cost.entries} />;
}
