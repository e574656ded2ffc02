import { Stack, Tabs } from "@mantine/core";
import { useTab } from "@/common/address";
import { PageHeader } from "@/common/layout/PageHeader";
import { useLiveRefresh } from "@/live/LiveProvider";
import { Dimensions } from "./Dimensions";
import { JobRuns } from "./JobRuns";
import { Results } from "./Results";
import { Schedules } from "./Schedules";

/** Results of Spark's jobs over telemetry, and the jobs themselves. */
export function Component() {
  const [tab, setTab] = useTab("results");
  useLiveRefresh(["analytics"], ["analytics"]);
  return (
    <>
      <PageHeader title="Analytics" />
      <Tabs value={tab} onChange={setTab} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="results">Results</Tabs.Tab>
          <Tabs.Tab value="dimensions">Indexed attributes</Tabs.Tab>
          <Tabs.Tab value="runs">Runs and schedules</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="results">
          <Results />
        </Tabs.Panel>
        <Tabs.Panel value="dimensions">
          <Dimensions />
        </Tabs.Panel>
        <Tabs.Panel value="runs">
          <Stack gap="xl">
            <Schedules />
            <JobRuns />
          </Stack>
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
