import {
  Badge,
  Button,
  Drawer,
  Group,
  Loader,
  Modal,
  Select,
  Stack,
  Switch,
  TagsInput,
  Text,
  Title,
} from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createColumnHelper } from "@tanstack/react-table";
import { useState } from "react";
import { api, type Schemas } from "@/api/client";
import { useMay } from "@/api/me";
import { useAddress } from "@/common/address";
import { DocsLink } from "@/common/documentation/DocsLink";
import { Time } from "@/common/formatting/time";
import { Empty } from "@/common/layout/Empty";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { DataTable } from "@/common/tables/DataTable";
import { readPage, useList } from "@/common/tables/list";
import { useLiveRefresh } from "@/live/LiveProvider";
import { AuditResult, CHECK_COLOR } from "./AuditResult";

type Audit = Schemas["Audit"];
export const AUDITS = "/api/v1/audits/";
const column = createColumnHelper<Audit>();

const columns = [
  column.accessor("id", { header: "Audit", meta: { sort: "id" } }),
  column.accessor("state", { header: "State" }),
  column.accessor("switches", { header: "Switches", cell: (cell) => <Counts counts={cell.getValue()} /> }),
  column.accessor("repair", {
    header: "Repairs",
    meta: { priority: "low" },
    cell: (cell) => (cell.getValue() ? "yes" : "only tells"),
  }),
  column.accessor("trigger", { header: "Asked by", meta: { priority: "low" } }),
  column.accessor("created_at", { header: "When", cell: (cell) => <Time at={cell.getValue()} /> }),
];

/** Tables read back and compared with the plan. */
export function Audits() {
  const [trigger, setTrigger] = useAddress("trigger");
  const [chosen, setChosen] = useAddress("audit");
  const [ordering, setOrdering] = useAddress("ordering", "-id");
  const [asking, setAsking] = useState(false);
  const may = useMay("audits", "POST");
  const list = useList<Audit>(AUDITS, { trigger }, { ordering, limit: 50 });
  useLiveRefresh(["audit"], [AUDITS]);
  const ask = may && <Button onClick={() => setAsking(true)}>Audit tables…</Button>;
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          An audit reads tables back, tells what differs from the plan, and repairs it.{" "}
          <DocsLink to="monitoring.md, Audits" />
        </Text>
        <Group gap="xs">
          <Select
            aria-label="Asked by"
            placeholder="All"
            clearable
            w={130}
            data={["operator", "periodic", "sign"]}
            value={trigger || null}
            onChange={setTrigger}
          />
          {ask}
        </Group>
      </Group>
      <DataTable
        label="Audits"
        list={list}
        columns={columns}
        rowId={(row) => String(row.id)}
        ordering={ordering}
        onOrdering={setOrdering}
        selected={chosen}
        onSelect={(row) => setChosen(String(row.id))}
        empty={
          <Empty cause="No audit yet. They run every few minutes, when a switch seems to have lost entries, and when somebody asks.">
            {ask}
          </Empty>
        }
      />
      {chosen && <Detail id={chosen} onClose={() => setChosen(null)} />}
      {asking && <Ask onClose={() => setAsking(false)} onAsked={(id) => setChosen(String(id))} />}
    </Stack>
  );
}

/** How many switches were found how. */
function Counts({ counts }: { counts: Audit["switches"] }) {
  const found = Object.entries(counts);
  if (found.length === 0) return <>–</>;
  return (
    <Group gap={4}>
      {found.map(([state, count]) => (
        <Badge key={state} variant="light" color={CHECK_COLOR[state] ?? "gray"}>
          {count} {state}
        </Badge>
      ))}
    </Group>
  );
}

function Detail({ id, onClose }: { id: string; onClose: () => void }) {
  const audit = useQuery({
    queryKey: [AUDITS, "one", id],
    refetchInterval: ({ state }) => (state.data?.state === "done" ? false : 2_000),
    queryFn: async () => (await api.GET("/api/v1/audits/{id}/", { params: { path: { id } } })).data,
  });
  const over = audit.data?.state === "done";
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="xl"
      title={`Audit ${id}`}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <ProblemAlert problem={audit.error} retry={() => audit.refetch()} />
      {audit.isPending && <Loader role="status" size="sm" aria-label="Loading" />}
      {audit.data && (
        <Stack>
          <Group gap="xs">
            <Title order={3}>{over ? "Done" : audit.data.state}</Title>
            {!over && <Loader role="status" size="xs" aria-label="Going on" />}
            <Counts counts={audit.data.switches} />
          </Group>
          <Text size="sm">
            {audit.data.repair ? "What differed was to be repaired." : "It only told, and changed nothing."}{" "}
            Begun <Time at={audit.data.started_at} />, ended <Time at={audit.data.ended_at} />.
          </Text>
          {audit.data.reason && <Text size="sm">Reason: {audit.data.reason}.</Text>}
          <AuditResult id={id} over={over} />
        </Stack>
      )}
    </Drawer>
  );
}

function Ask({ onClose, onAsked }: { onClose: () => void; onAsked: (id: number) => void }) {
  const [switches, setSwitches] = useState<string[]>([]);
  const [repair, setRepair] = useState(true);
  const queries = useQueryClient();
  const known = useQuery({
    queryKey: ["/api/v1/switches/", "names"],
    staleTime: 60_000,
    queryFn: ({ signal }) => readPage<{ name: string }>("/api/v1/switches/", { limit: 1000 }, signal),
  });
  const ask = useMutation({
    mutationFn: async () => {
      const body = { repair, ...(switches.length > 0 ? { switches } : {}) };
      return (await api.POST("/api/v1/audits/", { body })).data;
    },
    onSuccess: (audit) => {
      notifications.show({ message: `Audit ${audit?.id} is asked for.`, color: "green" });
      queries.invalidateQueries({ queryKey: [AUDITS] });
      onClose();
      if (audit) onAsked(audit.id);
    },
  });
  return (
    <Modal opened onClose={onClose} title="Audit tables" closeButtonProps={{ "aria-label": "Close" }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          ask.mutate();
        }}
      >
        <Stack gap="sm">
          <TagsInput
            label="Switches"
            description="none: all of them"
            data={known.data?.results.map(({ name }) => name) ?? []}
            value={switches}
            onChange={setSwitches}
            limit={50}
            openOnFocus={false}
            clearable
            data-autofocus
          />
          <Switch
            label="Repair what differs"
            description={
              repair ? "Each table is made equal to the plan." : "It only tells; nothing is sent to switches."
            }
            checked={repair}
            onChange={(event) => setRepair(event.currentTarget.checked)}
          />
          <ProblemAlert problem={ask.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={ask.isPending}>
              {repair ? "Audit and repair" : "Audit"}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
