import { Alert, Anchor, Stack, Tabs, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useSearchParams } from "react-router";
import { DocsLink } from "@/common/documentation/DocsLink";
import { Time } from "@/common/formatting/time";
import { PageHeader } from "@/common/layout/PageHeader";
import { MethodComparison } from "./comparison/MethodComparison";
import { formatCopies } from "./figures";
import { Policy } from "./policy/Policy";
import { usePolicy } from "./policy/policy";
import { AggregationRuns } from "./runs/AggregationRuns";
import { SwitchesTab } from "./switches/SwitchesTab";

const TABS = { switches: "Switches", compare: "Compare methods", runs: "Runs", policy: "Policy" } as const;

/** TCAM budgets: what fills tables, what merging costs, and how it is done. */
export function Component() {
  const [parameters, setParameters] = useSearchParams();
  const asked = parameters.get("tab") ?? "";
  const tab = asked in TABS ? asked : "switches";
  return (
    <>
      <PageHeader title="Budgets">
        <DocsLink to="how-to/set-budgets.md">Documentation: set table budgets</DocsLink>
      </PageHeader>
      <Alarms />
      <Tabs
        value={tab}
        onChange={(value) => setParameters(value && value !== "switches" ? { tab: value } : {})}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          {Object.entries(TABS).map(([value, label]) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="switches">
          <SwitchesTab />
        </Tabs.Panel>
        <Tabs.Panel value="compare">
          <MethodComparison />
        </Tabs.Panel>
        <Tabs.Panel value="runs">
          <AggregationRuns />
        </Tabs.Panel>
        <Tabs.Panel value="policy">
          <Policy />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

/** Switches whose merged entries cost what nobody expected. */
function Alarms() {
  const { data } = usePolicy();
  const [, setParameters] = useSearchParams();
  if (!data || data.alarms.length === 0) return null;
  return (
    <Alert
      color="orange"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      title="Merged entries cost more than expected"
      mb="md"
      data-alarms
    >
      <Stack gap={4}>
        {data.alarms.map(({ switch: name, measured, expected, since }) => (
          <Text size="sm" key={name}>
            <Anchor component="button" inherit onClick={() => setParameters({ row: name })}>
              {name}
            </Anchor>
            : {formatCopies(measured)} needless copies an event are measured, {formatCopies(expected)} were
            expected; since <Time at={since} />
          </Text>
        ))}
        <Text size="sm">
          Events are not what they were when the entries were merged. A new run of aggregation goes by the
          newest ones.
        </Text>
      </Stack>
    </Alert>
  );
}
