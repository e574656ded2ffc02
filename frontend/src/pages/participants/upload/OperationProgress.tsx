import { Button, Group, Progress, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createColumnHelper } from "@tanstack/react-table";
import { useMemo, useState } from "react";
import { api } from "@/api/client";
import { useAddress } from "@/common/address";
import { Empty } from "@/common/layout/Empty";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { MergingNote } from "@/common/requests/MergingNote";
import { StateBadge } from "@/common/requests/StateBadge";
import { download } from "@/common/tables/csv";
import { DataTable } from "@/common/tables/DataTable";
import { useList } from "@/common/tables/list";
import { useLiveRefresh } from "@/live/LiveProvider";
import { text } from "../text";
import { type Operation, type Result, readFailures } from "./calls";

const EVERY = 1_500; // ms
const column = createColumnHelper<Result>();

/** Progress of an operation, the state of each item by line, and a download of the failures. */
export function OperationProgress({ operation, lines }: { operation: Operation; lines: readonly number[] }) {
  const key = ["/api/v1/operations/", operation.id];
  const found = useQuery<Operation>({
    queryKey: key,
    initialData: operation,
    initialDataUpdatedAt: 0,
    refetchInterval: (query) => (query.state.data?.finished ? false : EVERY),
    queryFn: async ({ signal }) => {
      const path = { id: String(operation.id) };
      return (await api.GET("/api/v1/operations/{id}/", { params: { path }, signal })).data as Operation;
    },
  });
  useLiveRefresh(["request", "requests"], key);
  const now = found.data;
  const { active, failed } = now.states;
  const percent = Math.floor(now.progress * 100);
  return (
    <Stack data-operation={now.finished ? "finished" : "going"}>
      <Text role="status">
        {!now.finished
          ? text.operation.running(percent, active, now.items)
          : failed
            ? text.operation.finishedWithFailures(active, now.items, failed)
            : text.operation.finished(active, now.items)}
      </Text>
      <Progress value={percent} aria-label={text.operation.progress} color={failed ? "orange" : undefined} />
      <MergingNote merging={now.merging} />
      {failed > 0 && <Failures operation={now} lines={lines} />}
      <Results operation={now} lines={lines} />
    </Stack>
  );
}

function Failures({ operation, lines }: { operation: Operation; lines: readonly number[] }) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const take = async () => {
    setBusy(true);
    setProblem(null);
    try {
      download(`failures-${operation.id}.csv`, await readFailures(operation.id, lines));
    } catch (error) {
      setProblem(error);
    }
    setBusy(false);
  };
  return (
    <>
      <Group>
        <Button variant="default" loading={busy} onClick={take}>
          {text.operation.downloadFailures}
        </Button>
      </Group>
      <ProblemAlert problem={problem} />
    </>
  );
}

function Results({ operation, lines }: { operation: Operation; lines: readonly number[] }) {
  const path = `/api/v1/operations/${operation.id}/results/`;
  const [state] = useAddress("results");
  const list = useList<Result>(path, { state }, { name: "at", ordering: "index" });
  useLiveRefresh(["request", "requests"], [path]);
  const columns = useMemo(
    () => [
      column.accessor((row) => (row.index === null ? "" : lines[row.index]), {
        id: "line",
        header: text.operation.line,
      }),
      column.accessor((row) => row.object?.name ?? "–", { id: "object", header: text.operation.id }),
      column.accessor("state", {
        header: text.operation.state,
        cell: (cell) => <StateBadge state={cell.getValue()} />,
      }),
      column.accessor((row) => row.problem?.detail ?? "", { id: "detail", header: text.operation.reason }),
    ],
    [lines],
  );
  return (
    <DataTable
      label={text.operation.items}
      list={list}
      columns={columns}
      rowId={(row) => String(row.id)}
      height={300}
      empty={<Empty cause={text.operation.noMatch} />}
    />
  );
}
