import { Code, Modal, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createColumnHelper } from "@tanstack/react-table";
import type { Schemas } from "@/api/client";
import { formatEvent, type Values } from "@/common/formatting/event";
import { Time } from "@/common/formatting/time";
import { Empty } from "@/common/layout/Empty";
import { DataTable } from "@/common/tables/DataTable";
import { useList } from "@/common/tables/list";
import { text as common } from "@/common/text";
import { resolvePublisher } from "./publisherReference";
import type { Question } from "./question";
import { text } from "./text";

type Sample = Schemas["EventSample"];
const column = createColumnHelper<Sample>();

const columns = [
  column.accessor("reported_at", {
    header: text.past.reported,
    cell: (cell) => <Time at={cell.getValue()} />,
  }),
  column.accessor("publisher", { header: text.past.publisher }),
  column.accessor("topic", { header: text.past.topic, meta: { priority: "low" } }),
  column.accessor("values", {
    header: text.past.event,
    cell: (cell) => (
      <Code style={{ overflowWrap: "anywhere" }}>{formatEvent(cell.getValue() as Values)}</Code>
    ),
  }),
];

/** Dialog with the stored past events of one publisher or of all, newest first. */
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
      title={of ? text.past.titleOf(of) : text.past.title}
      closeButtonProps={{ "aria-label": common.close }}
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
        {text.past.intro}
      </Text>
      <DataTable
        label={text.past.title}
        list={list}
        columns={columns}
        rowId={({ id }) => String(id)}
        onSelect={({ advertisement, topic, values }) =>
          onPick({ publisher: advertisement, topic, values: values as Values })
        }
        empty={<Empty cause={text.past.empty} />}
      />
    </>
  );
}
