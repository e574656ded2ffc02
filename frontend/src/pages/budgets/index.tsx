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
import { text } from "./text";

/** The page of TCAM budgets: switches, comparison of methods, runs and policy. */
export function Component() {
  const [parameters, setParameters] = useSearchParams();
  const asked = parameters.get("tab") ?? "";
  const tab = asked in text.tabs ? asked : "switches";
  return (
    <>
      <PageHeader title={text.title}>
        <DocsLink to="how-to/set-budgets.md">{text.docs}</DocsLink>
      </PageHeader>
      <Alarms />
      <Tabs
        value={tab}
        onChange={(value) => setParameters(value && value !== "switches" ? { tab: value } : {})}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          {Object.entries(text.tabs).map(([value, label]) => (
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

/** Alarms of switches whose merged entries cost more or less than expected. */
function Alarms() {
  const { data } = usePolicy();
  const [, setParameters] = useSearchParams();
  if (!data || data.alarms.length === 0) return null;
  return (
    <Alert
      color="orange"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      title={text.alarms.title}
      mb="md"
      data-alarms
    >
      <Stack gap={4}>
        {data.alarms.map(({ switch: name, measured, expected, since }) => (
          <Text size="sm" key={name}>
            {text.alarms.row(
              <Anchor component="button" inherit onClick={() => setParameters({ row: name })}>
                {name}
              </Anchor>,
              formatCopies(measured),
              formatCopies(expected),
              <Time at={since} />,
            )}
          </Text>
        ))}
        <Text size="sm">{text.alarms.remedy}</Text>
      </Stack>
    </Alert>
  );
}
