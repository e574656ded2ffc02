import { Button, Group, Tabs } from "@mantine/core";
import { IconPlus, IconUpload } from "@tabler/icons-react";
import { lazy, Suspense, useCallback, useState } from "react";
import { useMay } from "@/api/me";
import { useAddress, useChangeAddress } from "@/common/address";
import { PageHeader } from "@/common/layout/PageHeader";
import type { InitialValues } from "./AnnounceDialog";
import { AnnouncementDetails } from "./AnnouncementDetails";
import { AnnouncementList } from "./AnnouncementList";
import { type Announcement, type Participant, type Side, sideOf, TABS, type Tab } from "./kinds";
import { ParticipantList } from "./ParticipantList";
import { RegisterDialog } from "./RegisterDialog";
import { RemoveDialog } from "./RemoveDialog";
import { text } from "./text";
import { Upload } from "./upload/Upload";
import { WithdrawDialog } from "./WithdrawDialog";

// The filter editor is as large as the rest of the page, so it loads separately and the lists do not wait for it.
const Announce = lazy(() =>
  import("./AnnounceDialog").then((module) => ({ default: module.AnnounceDialog })),
);

const OF_A_LIST = ["q", "state", "topic", "who", "host", "ordering", "page", "filter"];
const KINDS = TABS.map(({ value }) => value);

/** Page with the lists of publishers, subscribers, advertisements and subscriptions. */
export function Component() {
  const [asked] = useAddress("tab", "publishers");
  const tab = KINDS.includes(asked as Tab) ? (asked as Tab) : "publishers";
  const [doing] = useAddress("do");
  const change = useChangeAddress();
  const [row, setRow] = useState<{ dialog: "withdraw" | "details"; row: Announcement } | null>(null);
  const [leaving, setLeaving] = useState<Participant | null>(null);
  const side = sideOf(tab);
  const people = tab === side.owners;
  const may = { register: useMay(side.owners, "POST"), announce: useMay(side.announcements, "POST") };
  const close = () => change({ do: null, for: null, on: null, filter: null });
  const announceFor = useCallback(
    (name: string) => change({ do: "announce", for: name, on: null, filter: null }),
    [change],
  );
  const again = useCallback(
    (row: Announcement) =>
      change({
        do: "announce",
        for: "publisher" in row ? row.publisher : row.subscriber,
        on: row.topic,
        filter: row.filter,
      }),
    [change],
  );
  const withdraw = useCallback((row: Announcement) => setRow({ dialog: "withdraw", row }), []);
  const details = useCallback((row: Announcement) => setRow({ dialog: "details", row }), []);
  const actions = <Actions side={side} people={people} may={may} start={(what) => change({ do: what })} />;
  return (
    <>
      <PageHeader title={text.title}>{actions}</PageHeader>
      <Tabs
        value={tab}
        onChange={(to) =>
          change({ ...Object.fromEntries(OF_A_LIST.map((name) => [name, null])), tab: to }, true)
        }
        keepMounted={false}
      >
        <Tabs.List mb="sm" aria-label={text.lists}>
          {TABS.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {TABS.map(({ value }) => (
          <Tabs.Panel key={value} value={value}>
            {people ? (
              <ParticipantList side={side} onAnnounce={announceFor} onRemove={setLeaving} next={actions} />
            ) : (
              <AnnouncementList
                side={side}
                onWithdraw={withdraw}
                onAgain={again}
                onDetails={details}
                next={actions}
              />
            )}
          </Tabs.Panel>
        ))}
      </Tabs>
      {doing === "register" && may.register && (
        <RegisterDialog side={side} onClose={close} onDone={announceFor} />
      )}
      {doing === "announce" && may.announce && <Announcing side={side} onClose={close} />}
      {doing === "upload" && (people ? may.register : may.announce) && <Upload tab={tab} onClose={close} />}
      {row?.dialog === "withdraw" && <WithdrawDialog row={row.row} onClose={() => setRow(null)} />}
      {row?.dialog === "details" && <AnnouncementDetails row={row.row} onClose={() => setRow(null)} />}
      {leaving && people && <RemoveDialog tab={side.owners} row={leaving} onClose={() => setLeaving(null)} />}
    </>
  );
}

function Actions({
  side,
  people,
  may,
  start,
}: {
  side: Side;
  people: boolean;
  may: { register: boolean; announce: boolean };
  start: (what: string) => void;
}) {
  return (
    <Group gap="xs">
      {(people ? may.register : may.announce) && (
        <Button
          variant="default"
          leftSection={<IconUpload size={16} aria-hidden />}
          onClick={() => start("upload")}
        >
          {text.importList}
        </Button>
      )}
      {people && may.register && (
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => start("register")}>
          {text[side.who].register}
        </Button>
      )}
      {!people && may.announce && (
        <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => start("announce")}>
          {text[side.who].announce}
        </Button>
      )}
    </Group>
  );
}

/** Dialog for an announcement; the address has initial values: `for`, `on` (topic), `filter`. */
function Announcing({ side, onClose }: { side: Side; onClose: () => void }) {
  const [owner] = useAddress("for");
  const [topic] = useAddress("on");
  const [filter] = useAddress("filter");
  const [begin] = useState<InitialValues>({ owner, topic, filter });
  return (
    <Suspense>
      <Announce key={owner} side={side} begin={begin} onClose={onClose} />
    </Suspense>
  );
}
