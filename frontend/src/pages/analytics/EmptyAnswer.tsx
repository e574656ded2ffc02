import { Anchor, Button, Group, Text } from "@mantine/core";
import { Link, useSearchParams } from "react-router";
import { useMay } from "@/api/me";
import { Empty } from "@/common/layout/Empty";
import { InlineMarkup } from "@/common/layout/InlineMarkup";
import { FILTERS } from "./filters";
import { useRunNow } from "./runs";

export interface Why {
  missing: "telemetry" | "job" | "filter";
  detail: string;
}

const CAUSE = {
  telemetry: "Telemetry is missing. ",
  job: "A run of the job is missing. ",
  filter: "Nothing matches. ",
};

/** The server's words with what to click here, in place of what a program would call. */
export function adviseOnPage(detail: string, may: boolean): string {
  const here = may ? "run it now by the button below" : "have an operator run it";
  return detail.replace(/ask for one \(POST [^)]*\)/g, here);
}

/** Why there is nothing to draw, and the next step. `job` is none of Spark's where it cannot be asked for. */
export function EmptyAnswer({ job, why }: { job: string; why: Why }) {
  const may = useMay("analytics/runs", "POST");
  const run = useRunNow();
  const [address, setAddress] = useSearchParams();
  const widen = () => {
    const wider = new URLSearchParams(address);
    for (const name of ["since", "until", "window", ...FILTERS.map(({ name }) => name)]) wider.delete(name);
    wider.set("range", "30d");
    setAddress(wider, { replace: true });
  };
  return (
    <Empty
      cause={
        <>
          <Text span fw={600}>
            {CAUSE[why.missing]}
          </Text>
          <InlineMarkup text={adviseOnPage(why.detail, may)} />
        </>
      }
    >
      <Group gap="sm">
        {why.missing === "job" && may && (
          <Button size="xs" loading={run.isPending} onClick={() => run.mutate({ job })}>
            Run it now
          </Button>
        )}
        {why.missing === "job" && (
          <Anchor component={Link} to="/analytics?tab=runs" size="sm">
            Runs and schedules
          </Anchor>
        )}
        {why.missing === "telemetry" && (
          <Anchor component={Link} to="/health?tab=telemetry" size="sm">
            Who writes telemetry
          </Anchor>
        )}
        {why.missing === "filter" && (
          <Button size="xs" variant="default" onClick={widen}>
            Show all of the last 30 days
          </Button>
        )}
      </Group>
    </Empty>
  );
}
