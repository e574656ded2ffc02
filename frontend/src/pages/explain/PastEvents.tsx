import { Code, Modal, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createColumnHelper } from "@tanstack/react-table";
import type { Schemas } from "@/api/client";
import { formatEvent, type Values } from "@/common/formatting/event";
import { Time } from "@/common/formatting/time";
import { Empty } from "@/common/layout/Empty";
import { DataTable } from "@/common/tables/DataTable";
import { useList } from "@/common/tables/list";
import { resolvePublisher } from "./publisherReference";
import type { Question } from "./question";

type Sample = Schemas["EventSample"];
const column = createColumnHelper<Sample>();

const columns = [
  column.accessor("reported_at", { header: "Reported", cell: (cell) => <Time at={cell.getValue()} /> }),
  column.accessor("publisher", { header: "Publisher" }),
  column.accessor("topic", { header: "Topic", meta: { priority: "low" } }),
  column.accessor("values", {
    header: "Event",
    cell: (cell) => (
      <Code style={{ overflowWrap: "anywhere" }}>{formatEvent(cell.getValue() as Values)}</Code>
    ),
  }),
];

/** Past events that are kept, the newest first, of one publisher or of all. */
export function PastEvents({
  opened,
  publisher,
  onClose,
  onPick,
}: {
  opened: boolean;
  publisher: string;
  onClose: () => void;
  onPick: (question: Question) => void;
}) {
  const who = useQuery({
    queryKey: ["/api/v1/publishers/", "meant", publisher],
    enabled: opened,
    queryFn: ({ signal }) => resolvePublisher(publisher, signal),
  });
  const of = who.data?.publisher ?? "";
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      size="xl"
      title={of ? `Past events of ${of}` : "Past events"}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {opened && who.isFetched && <Events publisher={of} onPick={onPick} />}
    </Modal>
  );
}

function Events({ publisher, onPick }: { publisher: string; onPick: (question: Question) => void }) {
  const list = useList<Sample>(
    "/api/v1/traffic/samples/events/",
    { publisher },
    { name: "past", ordering: "-id", limit: 50 },
  );
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        A share of what was published is kept. Choose an event to have it explained as things are now.
      </Text>
      <DataTable
        label="Past events"
        list={list}
        columns={columns}
        rowId={({ id }) => String(id)}
        onSelect={({ advertisement, topic, values }) =>
          onPick({ publisher: advertisement, topic, values: values as Values })
        }
        empty={
          <Empty cause="No past event is kept. Hosts report a share of theirs to traffic/samples/, and a job of analytics draws some from telemetry." />
        }
      />
    </>
  );
}
