import { Alert, Button, Code, FileInput, Group, Modal, Stack, Table, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconCircleCheck } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { asProblem, type FieldError, type Problem } from "@/api/problems";
import { formatPercent } from "@/common/formatting/figures";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { CostSummary } from "@/common/requests/CostSummary";
import { download } from "@/common/tables/csv";
import type { Tab } from "../kinds";
import { apply, type Cost, check, FIELDS, type Operation, withLines } from "./calls";
import { OperationProgress } from "./OperationProgress";
import { decodeText, type Parsed, parse, tooLarge, toPlainCsv } from "./parser";

const SHOWN = 200;

/** A file of many: checked first, with all its errors by line and its whole cost; then applied, and followed. */
export function Upload({ tab, onClose }: { tab: Tab; onClose: () => void }) {
  const [file, setFile] = useState<File | null>(null);
  const [parsed, setParsed] = useState<Parsed | null>(null);
  const [operation, setOperation] = useState<Operation | null>(null);
  const going = useRef(new AbortController());
  const queries = useQueryClient();
  const phone = useMediaQuery("(max-width: 48em)");
  const checking = useMutation({
    mutationFn: async (chosen: File): Promise<Cost | null> => {
      going.current = new AbortController();
      setParsed(null);
      const large = tooLarge(chosen.size, 0);
      if (large) throw new Error(large);
      const text = decodeText(await chosen.arrayBuffer());
      const found =
        typeof text === "string"
          ? parse(chosen.name, text, FIELDS[tab])
          : { items: [], lines: [], troubles: [text] };
      const many = tooLarge(chosen.size, found.items.length);
      if (many) throw new Error(many);
      setParsed(found);
      if (found.items.length === 0) return null;
      return check(tab, found.items, going.current.signal);
    },
  });
  const applying = useMutation({
    mutationFn: async () => {
      going.current = new AbortController();
      return apply(tab, parsed?.items ?? [], going.current.signal);
    },
    onSuccess: (made) => setOperation(made),
    onSettled: () => queries.invalidateQueries({ queryKey: [`/api/v1/${tab}/`] }),
  });
  useEffect(() => () => going.current.abort(), []);
  const failed = applying.error ?? checking.error;
  const problem = failed ? withErrorLines(asProblem(failed), parsed?.lines ?? []) : null;
  const errors: FieldError[] = [
    ...(parsed?.troubles.map(({ line, detail }) => ({ line, detail, code: "unreadable" })) ?? []),
    ...(problem?.errors ?? []),
  ].sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  const done = applying.isSuccess;
  const count = parsed?.items.length ?? 0;
  return (
    <Modal
      opened
      onClose={onClose}
      title={`Upload ${tab}`}
      size="xl"
      fullScreen={phone}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {done ? (
        <Stack>
          {operation ? (
            <OperationProgress operation={operation} lines={parsed?.lines ?? []} />
          ) : (
            <Alert
              color="green"
              variant="light"
              icon={<IconCircleCheck size={18} aria-hidden />}
              role="status"
            >
              {count.toLocaleString()} {tab} were registered.
            </Alert>
          )}
          <Group justify="flex-end">
            <Button onClick={onClose} data-autofocus>
              Close
            </Button>
          </Group>
        </Stack>
      ) : (
        <Stack>
          <FileInput
            label="File"
            description={`CSV or JSON, at most 50,000 items and 32 MiB. Nothing is changed before you apply it.`}
            placeholder="Choose a file"
            accept=".csv,.json,.txt,text/csv,application/json"
            value={file}
            onChange={(chosen) => {
              applying.reset();
              setFile(chosen);
              if (chosen) checking.mutate(chosen);
            }}
            clearable
            clearButtonProps={{ "aria-label": "Take the file out" }}
            data-autofocus
          />
          <Format tab={tab} />
          <div aria-live="polite" data-upload={checking.status}>
            {checking.isPending && <Text size="sm">Checking every item, and what all of them cost…</Text>}
            {errors.length > 0 && <Errors file={file} errors={errors} items={count} />}
            {problem && problem.errors.length === 0 && <ProblemAlert problem={problem} />}
            {checking.isSuccess && !checking.data && errors.length === 0 && (
              <Alert color="orange" variant="light">
                The file has no item. Its lines behind the first are the items.
              </Alert>
            )}
            {checking.data && errors.length === 0 && <Whole cost={checking.data} tab={tab} />}
          </div>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            {file && (
              <Button
                variant="default"
                onClick={() => {
                  applying.reset();
                  checking.mutate(file);
                }}
                loading={checking.isPending}
              >
                Check again
              </Button>
            )}
            <Button
              onClick={() => applying.mutate()}
              loading={applying.isPending}
              disabled={!checking.data || errors.length > 0}
            >
              {checking.data && errors.length === 0 ? `Apply all ${count.toLocaleString()}` : "Apply"}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

const withErrorLines = (problem: Problem, lines: readonly number[]): Problem => ({
  ...problem,
  errors: withLines(problem.errors, lines),
});

const SAMPLES: Record<Tab, string> = {
  publishers: "name,host\nexchange,h1",
  subscribers: "name,host\nalice,h2",
  advertisements: "publisher,topic,filter\nexchange,quotes,true",
  subscriptions: 'subscriber,topic,filter\nalice,quotes,"open in [100, 200] and symbol = ""IBM"""',
};

function Format({ tab }: { tab: Tab }) {
  return (
    <div>
      <Text size="sm" c="dimmed" mb={4}>
        A CSV file names the columns in its first line; a JSON file is a list of objects with the same fields.
      </Text>
      <Code block style={{ whiteSpace: "pre-wrap" }}>
        {SAMPLES[tab]}
      </Code>
    </div>
  );
}

function Errors({ file, errors, items }: { file: File | null; errors: FieldError[]; items: number }) {
  return (
    <Stack gap="xs">
      <Alert color="red" variant="light" role="alert">
        {errors.length.toLocaleString()} {errors.length === 1 ? "error" : "errors"} in {file?.name}
        {items > 0 ? ` (${items.toLocaleString()} items)` : ""}. Nothing was changed. Mend the file and choose
        it again.
      </Alert>
      <Table aria-label="Errors by line" stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Line</Table.Th>
            <Table.Th>Field</Table.Th>
            <Table.Th>What is wrong</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {errors.slice(0, SHOWN).map(({ line, pointer, code, detail }) => (
            <Table.Tr key={`${line}${pointer}${code}${detail}`}>
              <Table.Td>{line ?? "–"}</Table.Td>
              <Table.Td>{pointer?.slice(1).replaceAll("/", " › ")}</Table.Td>
              <Table.Td style={{ overflowWrap: "anywhere" }}>{detail}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
        {errors.length > SHOWN && <Table.Caption>and {errors.length - SHOWN} more</Table.Caption>}
      </Table>
      {errors.length > SHOWN && (
        <Button variant="default" w="fit-content" onClick={() => download("errors.csv", errorsCsv(errors))}>
          Download all errors
        </Button>
      )}
    </Stack>
  );
}

const errorsCsv = (errors: readonly FieldError[]) =>
  toPlainCsv(
    ["line", "field", "detail"],
    errors.map(({ line, pointer, detail }) => [line, pointer, detail]),
  );

function Whole({ cost, tab }: { cost: Cost; tab: Tab }) {
  const announced = tab === "advertisements" || tab === "subscriptions";
  return (
    <Stack gap="xs">
      <Alert
        color={cost.accepted ? "green" : "orange"}
        variant="light"
        icon={<IconCircleCheck size={18} aria-hidden />}
      >
        {cost.items.toLocaleString()} items are right.{" "}
        {announced &&
          `${cost.dz_cells.toLocaleString()} dz cells, excess volume ${formatPercent(cost.excess)} on average.`}
      </Alert>
      {announced && <CostSummary cost={cost} />}
    </Stack>
  );
}
