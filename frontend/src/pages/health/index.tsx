import { Tabs } from "@mantine/core";
import { useMay } from "@/api/me";
import { useTab } from "@/common/address";
import { PageHeader } from "@/common/layout/PageHeader";
import { Actions } from "./Actions";
import { Audits } from "./Audits";
import { AlarmsTab } from "./alarms/AlarmsTab";
import { FoundLinks } from "./FoundLinks";
import { Overview } from "./Overview";
import { SignallingTab } from "./SignallingTab";
import { Switches } from "./Switches";
import { TelemetryTab } from "./TelemetryTab";
import { text } from "./text";

const TABS = [
  { value: "overview", Panel: Overview },
  { value: "alarms", Panel: AlarmsTab },
  { value: "switches", Panel: Switches },
  { value: "found-links", Panel: FoundLinks },
  { value: "audits", Panel: Audits },
  { value: "telemetry", Panel: TelemetryTab },
  { value: "signalling", Panel: SignallingTab },
  { value: "actions", Panel: Actions },
] as const;

/** Page with the health of the platform, audits of tables, and the audit log. */
export function Component() {
  const [tab, setTab] = useTab("overview");
  const maySee = useMay("audit/actions", "GET");
  const tabs = TABS.filter(({ value }) => value !== "actions" || maySee);
  return (
    <>
      <PageHeader title={text.title} />
      <Tabs value={tab} onChange={setTab} keepMounted={false}>
        <Tabs.List mb="md">
          {tabs.map(({ value }) => (
            <Tabs.Tab key={value} value={value}>
              {text.tabs[value]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ value, Panel }) => (
          <Tabs.Panel key={value} value={value}>
            <Panel />
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}
