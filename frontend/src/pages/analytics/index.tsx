import { Stack, Tabs } from "@mantine/core";
import { useTab } from "@/common/address";
import { PageHeader } from "@/common/layout/PageHeader";
import { useLiveRefresh } from "@/live/LiveProvider";
import { Dimensions } from "./Dimensions";
import { JobRuns } from "./JobRuns";
import { Results } from "./Results";
import { Schedules } from "./Schedules";
import { text } from "./text";

/** Page with the results of the Spark jobs, their runs and their schedules. */
export function Component() {
  const [tab, setTab] = useTab("results");
  useLiveRefresh(["analytics"], ["analytics"]);
  return (
    <>
      <PageHeader title={text.title} />
      <Tabs value={tab} onChange={setTab} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="results">{text.tabs.results}</Tabs.Tab>
          <Tabs.Tab value="dimensions">{text.tabs.dimensions}</Tabs.Tab>
          <Tabs.Tab value="runs">{text.tabs.runs}</Tabs.Tab>
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
