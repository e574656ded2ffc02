import {
  Alert,
  Button,
  Code,
  Drawer,
  Group,
  Loader,
  ScrollArea,
  Stack,
  Table,
  Text,
  Title,
} from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "@/api/client";
import { useMay } from "@/api/me";
import { Time } from "@/common/formatting/time";
import { ConfirmDialog } from "@/common/layout/ConfirmDialog";
import { InlineMarkup } from "@/common/layout/InlineMarkup";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { text as common } from "@/common/text";
import { JobRunState } from "./JobRunState";
import { jobTitle, OVER } from "./jobs";
import { durationOf, type JobRun, RUNS } from "./runs";
import { text } from "./text";

/** Details of a run: its progress, its input, the end of its log, and a button that stops it. */
export function RunDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const run = useQuery({
    queryKey: [RUNS, "one", id],
    queryFn: async () => (await api.GET("/api/v1/analytics/runs/{id}/", { params: { path: { id } } })).data,
  });
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="lg"
      title={run.data ? text.drawer.titleOf(id, jobTitle(run.data.job)) : text.drawer.title(id)}
      closeButtonProps={{ "aria-label": common.close }}
    >
      <ProblemAlert problem={run.error} retry={() => run.refetch()} />
      {run.isPending && <Loader role="status" size="sm" aria-label={common.loading} />}
      {run.data && <Detail run={run.data} />}
    </Drawer>
  );
}

function Detail({ run }: { run: JobRun }) {
  const may = useMay("analytics/runs", "POST");
  const over = OVER.includes(run.state);
  return (
    <Stack>
      <Group justify="space-between">
        <JobRunState run={run} />
        {may && !over && !run.cancelling && <Stop run={run} />}
      </Group>
      {run.reason && (
        <Alert color={run.state === "failed" ? "red" : "gray"} variant="light" role="status">
          <InlineMarkup text={run.reason} />
        </Alert>
      )}
      <Table withRowBorders={false} verticalSpacing={3}>
        <Table.Tbody>
          <Fact name={text.drawer.requested}>
            <Time at={run.created_at} />
          </Fact>
          <Fact name={text.drawer.trigger}>{text.runs.triggers[run.trigger]}</Fact>
          <Fact name={text.drawer.started}>
            <Time at={run.started_at} />
          </Fact>
          <Fact name={text.drawer.ended}>
            <Time at={run.ended_at} />
          </Fact>
          <Fact name={text.drawer.duration}>{durationOf(run)}</Fact>
          <Fact name={text.drawer.window}>{run.window}</Fact>
          {run.rebuild && <Fact name={text.drawer.recalculated}>{text.drawer.everything}</Fact>}
          {run.since && (
            <Fact name={text.drawer.recalculatedFrom}>
              <Time at={run.since} />
            </Fact>
          )}
          {run.until && (
            <Fact name={text.drawer.recalculatedUntil}>
              <Time at={run.until} />
            </Fact>
          )}
          <Fact name={text.drawer.results}>{run.rows?.toLocaleString() ?? "–"}</Fact>
          {run.attempts > 1 && <Fact name={text.drawer.restarts}>{run.attempts - 1}</Fact>}
        </Table.Tbody>
      </Table>
      {run.figures && <Figures figures={run.figures} />}
      <Log id={String(run.id)} over={over} />
    </Stack>
  );
}

function Figures({ figures }: { figures: NonNullable<JobRun["figures"]> }) {
  const counted = { ...figures.rejected, ...figures.notes };
  return (
    <div>
      <Title order={3}>{text.drawer.input}</Title>
      <Table withRowBorders={false} verticalSpacing={3}>
        <Table.Tbody>
          <Fact name={text.drawer.newFiles}>{volume(figures.new)}</Fact>
          <Fact name={text.drawer.readFiles}>{volume(figures.read)}</Fact>
          <Fact name={text.drawer.allFiles}>{text.drawer.files(figures.there.files)}</Fact>
          {Object.entries(counted).map(([name, count]) => (
            <Fact key={name} name={text.drawer.counters[name] ?? name.replaceAll("_", " ")}>
              {count.toLocaleString()}
            </Fact>
          ))}
          {figures.samples && (
            <Fact name={text.drawer.samples}>
              {text.drawer.sampleCounts(
                figures.samples.taken,
                figures.samples.reported,
                figures.samples.earlier,
              )}
            </Fact>
          )}
        </Table.Tbody>
      </Table>
      {figures.unreadable.map(({ file, reason }) => (
        <Alert key={file} color="orange" variant="light" title={file} mt="xs">
          {reason}
        </Alert>
      ))}
    </div>
  );
}

function Log({ id, over }: { id: string; over: boolean }) {
  const log = useQuery({
    queryKey: [RUNS, "log", id, over],
    refetchInterval: over ? false : 2_000,
    queryFn: async () =>
      (await api.GET("/api/v1/analytics/runs/{id}/log/", { params: { path: { id } } })).data,
  });
  return (
    <div>
      <Title order={3}>{text.drawer.log}</Title>
      <ProblemAlert problem={log.error} retry={() => log.refetch()} />
      {log.data?.truncated && (
        <Text size="xs" c="dimmed">
          {text.drawer.logTruncated}
        </Text>
      )}
      <ScrollArea.Autosize
        mah={320}
        viewportProps={{ tabIndex: 0, role: "region", "aria-label": text.drawer.logRegion }}
      >
        <Code block style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
          {log.data?.log || text.drawer.logEmpty}
        </Code>
      </ScrollArea.Autosize>
    </div>
  );
}

function Stop({ run }: { run: JobRun }) {
  const [asked, setAsked] = useState(false);
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () =>
      api.POST("/api/v1/analytics/runs/{id}/cancel/", { params: { path: { id: String(run.id) } } }),
    onSuccess: () => {
      setAsked(false);
      notifications.show({ message: text.drawer.stopping(run.id) });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: [RUNS] }),
  });
  return (
    <>
      <Button color="red" variant="light" onClick={() => setAsked(true)}>
        {text.drawer.stop}
      </Button>
      <ConfirmDialog
        opened={asked}
        title={text.drawer.stopTitle(run.id)}
        action={text.drawer.stop}
        danger
        busy={cancel.isPending}
        problem={cancel.error}
        onConfirm={() => cancel.mutate()}
        onClose={() => setAsked(false)}
      >
        {text.drawer.stopEffect}
      </ConfirmDialog>
    </>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th fw={500} w={140} scope="row">
        {name}
      </Table.Th>
      <Table.Td>{children}</Table.Td>
    </Table.Tr>
  );
}

function volume({ files, rows, bytes }: { files: number; rows: number; bytes: number }): string {
  const kibibytes = (bytes / 1024).toLocaleString(undefined, { maximumFractionDigits: 0 });
  return text.drawer.volume(rows, files, kibibytes);
}
