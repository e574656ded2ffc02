import { Button, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import { useMay } from "@/api/me";
import { WithHelp } from "@/common/documentation/HelpIcon";
import { Facts } from "@/common/layout/Facts";
import { SidePanel } from "@/common/layout/SidePanel";
import { formatChange, formatCount, limit, type Switch } from "../figures";
import { text } from "../text";
import { AggregatedEntries } from "./AggregatedEntries";
import { BudgetDialog } from "./BudgetDialog";
import { CostCurve } from "./CostCurve";
import { TableFill } from "./TableFill";

const { panel: texts } = text;

/** One switch: its table, the cost of other budgets, and its merged entries. */
export function SwitchBudgetPanel({ row, onClose }: { row: Switch | null; onClose: () => void }) {
  return (
    <SidePanel
      opened={row !== null}
      onClose={onClose}
      size={720}
      title={row ? texts.title(row.name, row.label) : ""}
    >
      {row && <Details key={row.name} row={row} />}
    </SidePanel>
  );
}

function Details({ row }: { row: Switch }) {
  const may = useMay("switches", "PATCH");
  const [editing, setEditing] = useState<{ suggested?: number } | null>(null);
  const saved = row.exact_entries - row.entries;
  return (
    <Stack gap="lg">
      <Facts
        facts={[
          [
            texts.budget,
            row.tcam_budget === null ? text.unlimited : texts.entries(formatCount(row.tcam_budget)),
          ],
          [
            texts.capacity,
            row.capacity === null ? texts.capacityUnknown : texts.entries(formatCount(row.capacity)),
          ],
          [texts.exact, texts.exactCount(formatCount(row.exact_entries))],
          [
            texts.installed,
            saved > 0
              ? texts.installedMerged(
                  formatCount(row.entries),
                  formatCount(saved),
                  formatChange(row.exact_entries, row.entries),
                )
              : formatCount(row.entries),
          ],
          [texts.fill, limit(row) !== null && <TableFill key="fill" row={row} />],
        ]}
      />
      <div>
        {may && (
          <Button size="xs" onClick={() => setEditing({})} mr="xs">
            {texts.setBudget}
          </Button>
        )}
        <Button
          size="xs"
          variant="default"
          component={Link}
          to={`/network?switch=${encodeURIComponent(row.name)}`}
        >
          {texts.showEntries}
        </Button>
      </div>
      <section aria-labelledby="curve">
        <Title order={2} id="curve">
          {texts.curve}
        </Title>
        <Text size="sm" c="dimmed" mb="xs">
          {texts.curveHelp}
        </Text>
        <CostCurve row={row} onPick={may ? (budget) => setEditing({ suggested: budget }) : undefined} />
      </section>
      <section aria-labelledby="aggregated">
        <Title order={2} id="aggregated" mb="xs">
          <WithHelp term="aggregation">{texts.merged}</WithHelp>
        </Title>
        <AggregatedEntries id={row.id} />
      </section>
      {editing && <BudgetDialog switches={[row]} onClose={() => setEditing(null)} {...editing} />}
    </Stack>
  );
}
