import { Tabs } from "@mantine/core";
import { useSearchParams } from "react-router";
import { PageHeader } from "@/common/layout/PageHeader";
import { Calls } from "./Calls";
import { Log } from "./Log";
import { text } from "./text";

/** Page with the log of requests and the bulk calls. */
export function Component() {
  const [parameters, setParameters] = useSearchParams();
  const tab = parameters.get("tab") === "calls" ? "calls" : "log";
  return (
    <>
      <PageHeader title={text.title} />
      <Tabs
        value={tab}
        onChange={(value) => setParameters(value === "calls" ? { tab: "calls" } : {})}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="log">{text.tabs.log}</Tabs.Tab>
          <Tabs.Tab value="calls">{text.tabs.calls}</Tabs.Tab>
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
