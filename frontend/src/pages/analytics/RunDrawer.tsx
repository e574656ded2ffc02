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
import { JobRunState } from "./JobRunState";
import { jobTitle, OVER } from "./jobs";
import { durationOf, type JobRun, RUNS } from "./runs";

/** One run: how far it is, what it read, the end of its log, and its end before the time. */
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
      title={run.data ? `Run ${id}: ${jobTitle(run.data.job)}` : `Run ${id}`}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <ProblemAlert problem={run.error} retry={() => run.refetch()} />
      {run.isPending && <Loader role="status" size="sm" aria-label="Loading" />}
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
        {may && !over && !run.cancelling && <Cancel run={run} />}
      </Group>
      {run.reason && (
        <Alert color={run.state === "failed" ? "red" : "gray"} variant="light" role="status">
          <InlineMarkup text={run.reason} />
        </Alert>
      )}
      <Table withRowBorders={false} verticalSpacing={3}>
        <Table.Tbody>
          <Fact name="Asked for">
            <Time at={run.created_at} /> {run.trigger === "schedule" ? "by its schedule" : "by an operator"}
          </Fact>
          <Fact name="Begun">
            <Time at={run.started_at} />
          </Fact>
          <Fact name="Ended">
            <Time at={run.ended_at} />
          </Fact>
          <Fact name="Took">{durationOf(run)}</Fact>
          <Fact name="Windows">{run.window}</Fact>
          {(run.since || run.until || run.rebuild) && (
            <Fact name="Made anew">
              {run.rebuild ? "all" : ""} {run.since && <Time at={run.since} />} {run.until && "to "}
              {run.until && <Time at={run.until} />}
            </Fact>
          )}
          <Fact name="Results">{run.rows?.toLocaleString() ?? "–"}</Fact>
          {run.attempts > 1 && <Fact name="Begun anew">{run.attempts - 1} times</Fact>}
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
      <Title order={3}>What it read</Title>
      <Table withRowBorders={false} verticalSpacing={3}>
        <Table.Tbody>
          <Fact name="New">{volume(figures.new)}</Fact>
          <Fact name="Read">{volume(figures.read)}</Fact>
          <Fact name="There">{`${figures.there.files.toLocaleString()} files`}</Fact>
          {Object.entries(counted).map(([name, count]) => (
            <Fact key={name} name={name.replaceAll("_", " ")}>
              {count.toLocaleString()}
            </Fact>
          ))}
          {figures.samples && (
            <Fact name="Samples">
              {`${figures.samples.taken} taken, ${figures.samples.reported} reported by hosts, ${figures.samples.earlier} earlier`}
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
      <Title order={3}>End of its log</Title>
      <ProblemAlert problem={log.error} retry={() => log.refetch()} />
      {log.data?.truncated && (
        <Text size="xs" c="dimmed">
          More came before.
        </Text>
      )}
      <ScrollArea.Autosize mah={320} viewportProps={{ tabIndex: 0, role: "region", "aria-label": "Log" }}>
        <Code block style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
          {log.data?.log || "It has written nothing."}
        </Code>
      </ScrollArea.Autosize>
    </div>
  );
}

function Cancel({ run }: { run: JobRun }) {
  const [asked, setAsked] = useState(false);
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () =>
      api.POST("/api/v1/analytics/runs/{id}/cancel/", { params: { path: { id: String(run.id) } } }),
    onSuccess: () => {
      setAsked(false);
      notifications.show({ message: `Run ${run.id} is being cancelled.` });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: [RUNS] }),
  });
  return (
    <>
      <Button color="red" variant="light" onClick={() => setAsked(true)}>
        Cancel this run
      </Button>
      <ConfirmDialog
        opened={asked}
        title={`Cancel run ${run.id}?`}
        action="Cancel the run"
        danger
        busy={cancel.isPending}
        problem={cancel.error}
        onConfirm={() => cancel.mutate()}
        onClose={() => setAsked(false)}
      >
        Its process and all that it started are ended. Results of before stay; what it was to take in is taken
        in by the next run.
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
  return `${rows.toLocaleString()} rows in ${files.toLocaleString()} files, ${(bytes / 1024).toLocaleString(undefined, { maximumFractionDigits: 0 })} KiB`;
}
