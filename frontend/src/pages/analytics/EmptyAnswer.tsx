import { Anchor, Button, Group, Text } from "@mantine/core";
import { Link, useSearchParams } from "react-router";
import { useMay } from "@/api/me";
import { Empty } from "@/common/layout/Empty";
import { InlineMarkup } from "@/common/layout/InlineMarkup";
import { FILTERS } from "./filters";
import { useRunNow } from "./runs";
import { text } from "./text";

export interface Why {
  missing: "telemetry" | "job" | "filter";
  detail: string;
}

/** Replace the API call in the server's advice by the control of this page. */
export function adviseOnPage(detail: string, may: boolean): string {
  const here = may ? text.empty.runHere : text.empty.askOperator;
  return detail.replace(/start one \(POST [^)]*\)/g, here);
}

/** Reason why a chart is empty, and the next step. */
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
            {text.empty.causes[why.missing]}
          </Text>{" "}
          <InlineMarkup text={adviseOnPage(why.detail, may)} />
        </>
      }
    >
      <Group gap="sm">
        {why.missing === "job" && may && (
          <Button size="xs" loading={run.isPending} onClick={() => run.mutate({ job })}>
            {text.empty.runNow}
          </Button>
        )}
        {why.missing === "job" && (
          <Anchor component={Link} to="/analytics?tab=runs" size="sm">
            {text.empty.runs}
          </Anchor>
        )}
        {why.missing === "telemetry" && (
          <Anchor component={Link} to="/health?tab=telemetry" size="sm">
            {text.empty.telemetry}
          </Anchor>
        )}
        {why.missing === "filter" && (
          <Button size="xs" variant="default" onClick={widen}>
            {text.empty.showMonth}
          </Button>
        )}
      </Group>
    </Empty>
  );
}
