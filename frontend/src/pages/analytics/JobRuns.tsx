import { Button, Checkbox, Group, Modal, Select, Stack, Text, TextInput, Title } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { createColumnHelper } from "@tanstack/react-table";
import { useEffect, useState } from "react";
import { useMay } from "@/api/me";
import { asProblem, byField } from "@/api/problems";
import { useAddress } from "@/common/address";
import { Time } from "@/common/formatting/time";
import { Empty } from "@/common/layout/Empty";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { DataTable } from "@/common/tables/DataTable";
import { useList } from "@/common/tables/list";
import { useLiveRefresh } from "@/live/LiveProvider";
import { JobRunState } from "./JobRunState";
import { JOBS, jobTitle, OVER } from "./jobs";
import { RunDrawer } from "./RunDrawer";
import { fromInput } from "./range";
import { durationOf, type JobRun, RUNS, useRunNow } from "./runs";

const STATES = ["queued", "running", ...OVER];
const JOB_OPTIONS = Object.keys(JOBS).map((value) => ({ value, label: jobTitle(value) }));
const column = createColumnHelper<JobRun>();

const columns = [
  column.accessor("id", { header: "Run", meta: { sort: "id" } }),
  column.accessor("job", { header: "Job", cell: (cell) => jobTitle(cell.getValue()) }),
  column.accessor("state", { header: "State", cell: (cell) => <JobRunState run={cell.row.original} /> }),
  column.accessor("trigger", { header: "Asked by", meta: { priority: "low" } }),
  column.accessor("created_at", { header: "Asked for", cell: (cell) => <Time at={cell.getValue()} /> }),
  column.display({
    id: "took",
    header: "Took",
    meta: { priority: "low", align: "right" },
    cell: ({ row: { original: run } }) => durationOf(run),
  }),
  column.accessor("rows", {
    header: "Results",
    meta: { align: "right", priority: "low" },
    cell: (cell) => cell.getValue()?.toLocaleString() ?? "–",
  }),
  column.accessor("reason", {
    header: "Why",
    meta: { priority: "low" },
    cell: (cell) => (
      <Text size="sm" lineClamp={1} maw={320}>
        {cell.getValue()}
      </Text>
    ),
  }),
];

/** Runs of jobs, the newest first; one that works shows how far it is. */
export function JobRuns() {
  const [job, setJob] = useAddress("job");
  const [state, setState] = useAddress("state");
  const [chosen, setChosen] = useAddress("run");
  const [ordering, setOrdering] = useAddress("ordering", "-id");
  const [asking, setAsking] = useState(false);
  const may = useMay("analytics/runs", "POST");
  const list = useList<JobRun>(RUNS, { job, state }, { ordering, limit: 50 });
  useLiveRefresh(["analytics"], [RUNS]);
  useRefreshWhile(list.rows.some((run) => !OVER.includes(run.state)));
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={2}>Runs</Title>
        <Group gap="xs">
          <Select
            aria-label="Job"
            placeholder="All jobs"
            data={JOB_OPTIONS}
            value={job || null}
            onChange={setJob}
            clearable
            w={170}
          />
          <Select
            aria-label="State"
            placeholder="Any state"
            data={STATES}
            value={state || null}
            onChange={setState}
            clearable
            w={140}
          />
          {may && <Button onClick={() => setAsking(true)}>Run a job…</Button>}
        </Group>
      </Group>
      <DataTable
        label="Runs"
        list={list}
        columns={columns}
        rowId={(run) => String(run.id)}
        ordering={ordering}
        onOrdering={setOrdering}
        selected={chosen}
        onSelect={(run) => setChosen(String(run.id))}
        height="min(50vh, 520px)"
        empty={
          <Empty cause="No run is like that. Jobs run by their schedules, or when somebody asks.">
            {may && <Button onClick={() => setAsking(true)}>Run a job…</Button>}
          </Empty>
        }
      />
      {chosen && <RunDrawer id={chosen} onClose={() => setChosen(null)} />}
      {asking && <AskForRun onClose={() => setAsking(false)} onAsked={(run) => setChosen(String(run))} />}
    </Stack>
  );
}

function AskForRun({ onClose, onAsked }: { onClose: () => void; onAsked: (run: number) => void }) {
  const [job, setJob] = useState("flow_table_size");
  const [window, setWindow] = useState("");
  const [since, setSince] = useState("");
  const [until, setUntil] = useState("");
  const [rebuild, setRebuild] = useState(false);
  const run = useRunNow({ quiet: true });
  const problems = run.error ? byField(asProblem(run.error), ["job", "window", "since", "until"]) : {};
  const send = () =>
    run.mutate(
      {
        job,
        ...(window ? { window } : {}),
        ...(since ? { since: fromInput(since) } : {}),
        ...(until ? { until: fromInput(until) } : {}),
        ...(rebuild ? { rebuild } : {}),
      },
      {
        onSuccess: (made) => {
          if (made) onAsked(made.id);
          onClose();
        },
      },
    );
  return (
    <Modal opened onClose={onClose} title="Run a job" closeButtonProps={{ "aria-label": "Close" }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <Stack gap="sm">
          <Select
            label="Job"
            description={JOBS[job]?.what}
            data={JOB_OPTIONS}
            value={job}
            onChange={(value) => setJob(value ?? job)}
            allowDeselect={false}
            error={problems.job}
            data-autofocus
          />
          <TextInput
            label="Length of windows"
            description='like "1 minute"; empty: as its schedule has it'
            value={window}
            onChange={(event) => setWindow(event.currentTarget.value)}
            error={problems.window}
          />
          <TextInput
            type="datetime-local"
            label="Make results anew from"
            description="empty: take in what is new"
            value={since}
            onChange={(event) => setSince(event.currentTarget.value)}
            error={problems.since}
          />
          <TextInput
            type="datetime-local"
            label="to"
            value={until}
            onChange={(event) => setUntil(event.currentTarget.value)}
            error={problems.until}
          />
          <Checkbox
            label="Make all results anew"
            checked={rebuild}
            onChange={(event) => setRebuild(event.currentTarget.checked)}
          />
          <ProblemAlert problem={run.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={run.isPending}>
              Run now
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** Reads runs anew every two seconds while one of them works. */
export function useRefreshWhile(works: boolean) {
  const queries = useQueryClient();
  useEffect(() => {
    if (!works) return;
    const timer = setInterval(() => queries.invalidateQueries({ queryKey: [RUNS] }), 2_000);
    return () => clearInterval(timer);
  }, [works, queries]);
}
