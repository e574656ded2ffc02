import { Tabs } from "@mantine/core";
import { useMay } from "@/api/me";
import { useTab } from "@/common/address";
import { PageHeader } from "@/common/layout/PageHeader";
import { Actions } from "./Actions";
import { Alarms } from "./Alarms";
import { Audits } from "./Audits";
import { FoundLinks } from "./FoundLinks";
import { Overview } from "./Overview";
import { SignallingTab } from "./SignallingTab";
import { Switches } from "./Switches";
import { TelemetryTab } from "./TelemetryTab";

const TABS = [
  { value: "overview", label: "Overview", Panel: Overview },
  { value: "alarms", label: "Alarms", Panel: Alarms },
  { value: "switches", label: "Switches", Panel: Switches },
  { value: "found-links", label: "Found links", Panel: FoundLinks },
  { value: "audits", label: "Drift and audits", Panel: Audits },
  { value: "telemetry", label: "Telemetry", Panel: TelemetryTab },
  { value: "signalling", label: "Signalling", Panel: SignallingTab },
  { value: "actions", label: "Who did what", Panel: Actions },
] as const;

/** Whether the platform is well, what is not, and who changed what. */
export function Component() {
  const [tab, setTab] = useTab("overview");
  const maySee = useMay("audit/actions", "GET");
  const tabs = TABS.filter(({ value }) => value !== "actions" || maySee);
  return (
    <>
      <PageHeader title="Health and audit" />
      <Tabs value={tab} onChange={setTab} keepMounted={false}>
        <Tabs.List mb="md">
          {tabs.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
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
