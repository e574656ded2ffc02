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
import { HelpIcon } from "@/common/documentation/HelpIcon";
import { Time } from "@/common/formatting/time";
import { Empty } from "@/common/layout/Empty";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { DataTable } from "@/common/tables/DataTable";
import { readPage, useList } from "@/common/tables/list";
import { text as common } from "@/common/text";
import { useLiveRefresh } from "@/live/LiveProvider";
import { AuditResult, CHECK_COLOR } from "./AuditResult";
import { text } from "./text";

type Audit = Schemas["Audit"];
export const AUDITS = "/api/v1/audits/";
const TRIGGERS = Object.entries(text.audits.triggers).map(([value, label]) => ({ value, label }));
const column = createColumnHelper<Audit>();

const columns = [
  column.accessor("id", { header: text.audits.columns.id, meta: { sort: "id" } }),
  column.accessor("state", {
    header: text.audits.columns.state,
    cell: (cell) => text.audits.states[cell.getValue()] ?? cell.getValue(),
  }),
  column.accessor("switches", {
    header: text.audits.columns.switches,
    cell: (cell) => <Counts counts={cell.getValue()} />,
  }),
  column.accessor("repair", {
    header: text.audits.columns.repair,
    meta: { priority: "low" },
    cell: (cell) => (cell.getValue() ? text.audits.repair : text.audits.noRepair),
  }),
  column.accessor("trigger", {
    header: text.audits.columns.trigger,
    meta: { priority: "low" },
    cell: (cell) => text.audits.triggers[cell.getValue()] ?? cell.getValue(),
  }),
  column.accessor("created_at", {
    header: text.audits.columns.created,
    cell: (cell) => <Time at={cell.getValue()} />,
  }),
];

/** Tab with the audits: comparisons of tables with the plan. */
export function Audits() {
  const [trigger, setTrigger] = useAddress("trigger");
  const [chosen, setChosen] = useAddress("audit");
  const [ordering, setOrdering] = useAddress("ordering", "-id");
  const [asking, setAsking] = useState(false);
  const may = useMay("audits", "POST");
  const list = useList<Audit>(AUDITS, { trigger }, { ordering, limit: 50 });
  useLiveRefresh(["audit"], [AUDITS]);
  const ask = may && <Button onClick={() => setAsking(true)}>{text.audits.start}</Button>;
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm" c="dimmed" component="div">
          {text.audits.about} <HelpIcon term="plan" /> <DocsLink to="monitoring.md, Audits" />
        </Text>
        <Group gap="xs">
          <Select
            aria-label={text.audits.trigger}
            placeholder={text.all}
            clearable
            w={210}
            data={TRIGGERS}
            value={trigger || null}
            onChange={setTrigger}
          />
          {ask}
        </Group>
      </Group>
      <DataTable
        label={text.audits.label}
        list={list}
        columns={columns}
        rowId={(row) => String(row.id)}
        ordering={ordering}
        onOrdering={setOrdering}
        selected={chosen}
        onSelect={(row) => setChosen(String(row.id))}
        empty={<Empty cause={text.audits.empty}>{ask}</Empty>}
      />
      {chosen && <Detail id={chosen} onClose={() => setChosen(null)} />}
      {asking && <Ask onClose={() => setAsking(false)} onAsked={(id) => setChosen(String(id))} />}
    </Stack>
  );
}

/** Number of switches by result. */
function Counts({ counts }: { counts: Audit["switches"] }) {
  const found = Object.entries(counts);
  if (found.length === 0) return <>–</>;
  return (
    <Group gap={4}>
      {found.map(([state, count]) => (
        <Badge key={state} variant="light" color={CHECK_COLOR[state] ?? "gray"}>
          {text.audits.count(count, text.auditResult.results[state] ?? state)}
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
      title={text.audits.title(id)}
      closeButtonProps={{ "aria-label": common.close }}
    >
      <ProblemAlert problem={audit.error} retry={() => audit.refetch()} />
      {audit.isPending && <Loader role="status" size="sm" aria-label={common.loading} />}
      {audit.data && (
        <Stack>
          <Group gap="xs">
            <Title order={3}>
              {over ? text.audits.done : (text.audits.states[audit.data.state] ?? audit.data.state)}
            </Title>
            {!over && <Loader role="status" size="xs" aria-label={text.audits.running} />}
            <Counts counts={audit.data.switches} />
          </Group>
          <Text size="sm">
            {audit.data.repair ? text.audits.repairing : text.audits.reporting} {text.audits.started}{" "}
            <Time at={audit.data.started_at} />. {text.audits.ended} <Time at={audit.data.ended_at} />.
          </Text>
          {audit.data.reason && <Text size="sm">{text.audits.reason(audit.data.reason)}</Text>}
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
      if (audit) notifications.show({ message: text.audits.asked(audit.id), color: "green" });
      queries.invalidateQueries({ queryKey: [AUDITS] });
      onClose();
      if (audit) onAsked(audit.id);
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={text.newAudit.title}
      closeButtonProps={{ "aria-label": common.close }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          ask.mutate();
        }}
      >
        <Stack gap="sm">
          <TagsInput
            label={text.newAudit.switches}
            description={text.newAudit.switchesHelp}
            data={known.data?.results.map(({ name }) => name) ?? []}
            value={switches}
            onChange={setSwitches}
            limit={50}
            openOnFocus={false}
            clearable
            data-autofocus
          />
          <Switch
            label={text.newAudit.repair}
            description={repair ? text.newAudit.repairHelp : text.newAudit.reportHelp}
            checked={repair}
            onChange={(event) => setRepair(event.currentTarget.checked)}
          />
          <ProblemAlert problem={ask.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {common.cancel}
            </Button>
            <Button type="submit" loading={ask.isPending}>
              {repair ? text.newAudit.auditAndRepair : text.newAudit.audit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
