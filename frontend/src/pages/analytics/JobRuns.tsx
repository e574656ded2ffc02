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
import { text as common } from "@/common/text";
import { useLiveRefresh } from "@/live/LiveProvider";
import { JobRunState } from "./JobRunState";
import { JOBS, jobTitle, OVER } from "./jobs";
import { RunDrawer } from "./RunDrawer";
import { fromInput } from "./range";
import { durationOf, type JobRun, RUNS, useRunNow } from "./runs";
import { text } from "./text";

const STATES = ["queued", "running", ...OVER];
const JOB_OPTIONS = JOBS.map((value) => ({ value, label: jobTitle(value) }));
const column = createColumnHelper<JobRun>();

const columns = [
  column.accessor("id", { header: text.runs.run, meta: { sort: "id" } }),
  column.accessor("job", { header: text.runs.job, cell: (cell) => jobTitle(cell.getValue()) }),
  column.accessor("state", {
    header: text.runs.state,
    cell: (cell) => <JobRunState run={cell.row.original} />,
  }),
  column.accessor((run) => text.runs.triggers[run.trigger], {
    id: "trigger",
    header: text.runs.trigger,
    meta: { priority: "low" },
  }),
  column.accessor("created_at", {
    header: text.runs.requested,
    cell: (cell) => <Time at={cell.getValue()} />,
  }),
  column.display({
    id: "took",
    header: text.runs.duration,
    meta: { priority: "low", align: "right" },
    cell: ({ row: { original: run } }) => durationOf(run),
  }),
  column.accessor("rows", {
    header: text.runs.results,
    meta: { align: "right", priority: "low" },
    cell: (cell) => cell.getValue()?.toLocaleString() ?? "–",
  }),
  column.accessor("reason", {
    header: text.runs.reason,
    meta: { priority: "low" },
    cell: (cell) => (
      <Text size="sm" lineClamp={1} maw={320}>
        {cell.getValue()}
      </Text>
    ),
  }),
];

/** List of runs of jobs, newest first. Running jobs show their progress. */
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
        <Title order={2}>{text.runs.title}</Title>
        <Group gap="xs">
          <Select
            aria-label={text.runs.job}
            placeholder={text.runs.allJobs}
            data={JOB_OPTIONS}
            value={job || null}
            onChange={setJob}
            clearable
            w={170}
          />
          <Select
            aria-label={text.runs.state}
            placeholder={text.runs.anyState}
            data={STATES}
            value={state || null}
            onChange={setState}
            clearable
            w={140}
          />
          {may && <Button onClick={() => setAsking(true)}>{text.runs.request}</Button>}
        </Group>
      </Group>
      <DataTable
        label={text.runs.title}
        list={list}
        columns={columns}
        rowId={(run) => String(run.id)}
        ordering={ordering}
        onOrdering={setOrdering}
        selected={chosen}
        onSelect={(run) => setChosen(String(run.id))}
        height="min(50vh, 520px)"
        empty={
          <Empty cause={text.runs.noMatch}>
            {may && <Button onClick={() => setAsking(true)}>{text.runs.request}</Button>}
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
        onSuccess: (queued) => {
          if (queued) onAsked(queued.id);
          onClose();
        },
      },
    );
  return (
    <Modal
      opened
      onClose={onClose}
      title={text.request.title}
      closeButtonProps={{ "aria-label": common.close }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <Stack gap="sm">
          <Select
            label={text.request.job}
            description={text.jobs[job]?.description}
            data={JOB_OPTIONS}
            value={job}
            onChange={(value) => setJob(value ?? job)}
            allowDeselect={false}
            error={problems.job}
            data-autofocus
          />
          <TextInput
            label={text.request.window}
            description={text.request.windowHelp}
            value={window}
            onChange={(event) => setWindow(event.currentTarget.value)}
            error={problems.window}
          />
          <TextInput
            type="datetime-local"
            label={text.request.since}
            description={text.request.sinceHelp}
            value={since}
            onChange={(event) => setSince(event.currentTarget.value)}
            error={problems.since}
          />
          <TextInput
            type="datetime-local"
            label={text.request.until}
            value={until}
            onChange={(event) => setUntil(event.currentTarget.value)}
            error={problems.until}
          />
          <Checkbox
            label={text.request.rebuild}
            checked={rebuild}
            onChange={(event) => setRebuild(event.currentTarget.checked)}
          />
          <ProblemAlert problem={run.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {common.cancel}
            </Button>
            <Button type="submit" loading={run.isPending}>
              {text.request.submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** Reload the runs every two seconds while one of them is active. */
export function useRefreshWhile(works: boolean) {
  const queries = useQueryClient();
  useEffect(() => {
    if (!works) return;
    const timer = setInterval(() => queries.invalidateQueries({ queryKey: [RUNS] }), 2_000);
    return () => clearInterval(timer);
  }, [works, queries]);
}
