import { Tabs } from "@mantine/core";
import { useSearchParams } from "react-router";
import { PageHeader } from "@/common/layout/PageHeader";
import { Calls } from "./Calls";
import { Log } from "./Log";

/** The log of requests, and bulk calls. */
export function Component() {
  const [parameters, setParameters] = useSearchParams();
  const tab = parameters.get("tab") === "calls" ? "calls" : "log";
  return (
    <>
      <PageHeader title="Requests" />
      <Tabs
        value={tab}
        onChange={(value) => setParameters(value === "calls" ? { tab: "calls" } : {})}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="log">Log</Tabs.Tab>
          <Tabs.Tab value="calls">Bulk calls</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="log">
          <Log />
        </Tabs.Panel>
        <Tabs.Panel value="calls">
          <Calls />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
