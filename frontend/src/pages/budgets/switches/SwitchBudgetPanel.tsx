import { Button, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import { useMay } from "@/api/me";
import { Facts } from "@/common/layout/Facts";
import { SidePanel } from "@/common/layout/SidePanel";
import { formatChange, formatCount, limit, type Switch } from "../figures";
import { AggregatedEntries } from "./AggregatedEntries";
import { BudgetDialog } from "./BudgetDialog";
import { CostCurve } from "./CostCurve";
import { TableFill } from "./TableFill";

/** One switch: its table, what another budget would cost, and what its merged entries stand for. */
export function SwitchBudgetPanel({ row, onClose }: { row: Switch | null; onClose: () => void }) {
  return (
    <SidePanel
      opened={row !== null}
      onClose={onClose}
      size={720}
      title={row ? `${row.name}${row.label ? `, ${row.label}` : ""}` : ""}
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
            "TCAM budget",
            row.tcam_budget === null ? "any number of entries" : `${formatCount(row.tcam_budget)} entries`,
          ],
          [
            "Capacity",
            row.capacity === null
              ? "no limit was met"
              : `${formatCount(row.capacity)} entries, as the switch was found to take`,
          ],
          ["Exact entries", `${formatCount(row.exact_entries)} without aggregation`],
          [
            "Installed",
            saved > 0
              ? `${formatCount(row.entries)}, ${formatCount(saved)} fewer by merging (${formatChange(row.exact_entries, row.entries)})`
              : formatCount(row.entries),
          ],
          ["Filled", limit(row) !== null && <TableFill key="filled" row={row} />],
        ]}
      />
      <div>
        {may && (
          <Button size="xs" onClick={() => setEditing({})} mr="xs">
            Set budget…
          </Button>
        )}
        <Button
          size="xs"
          variant="default"
          component={Link}
          to={`/network?switch=${encodeURIComponent(row.name)}`}
        >
          Show its entries
        </Button>
      </div>
      <section aria-labelledby="curve">
        <Title order={2} id="curve">
          What another budget would cost
        </Title>
        <Text size="sm" c="dimmed" mb="xs">
          Needless copies of the events that are kept, over the whole network, with all other switches as they
          are.
        </Text>
        <CostCurve row={row} onPick={may ? (budget) => setEditing({ suggested: budget }) : undefined} />
      </section>
      <section aria-labelledby="aggregated">
        <Title order={2} id="aggregated" mb="xs">
          Merged entries
        </Title>
        <AggregatedEntries id={row.id} />
      </section>
      {editing && <BudgetDialog switches={[row]} onClose={() => setEditing(null)} {...editing} />}
    </Stack>
  );
}
