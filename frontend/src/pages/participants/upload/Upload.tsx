import { Alert, Button, Code, FileInput, Group, Modal, Stack, Table, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconCircleCheck } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { asProblem, type FieldError, type Problem } from "@/api/problems";
import { formatExcess } from "@/common/formatting/figures";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { CostSummary } from "@/common/requests/CostSummary";
import { download } from "@/common/tables/csv";
import { text as common } from "@/common/text";
import type { Tab } from "../kinds";
import { text } from "../text";
import { apply, type Cost, check, FIELDS, type Operation, withLines } from "./calls";
import { OperationProgress } from "./OperationProgress";
import { decodeText, MAX_BYTES, MAX_ITEMS, type Parsed, parse, tooLarge, toPlainCsv } from "./parser";

const SHOWN = 200;

/** Dialog that imports a file: errors by line and the cost, then the progress. */
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
      const content = decodeText(await chosen.arrayBuffer());
      const found =
        typeof content === "string"
          ? parse(chosen.name, content, FIELDS[tab])
          : { items: [], lines: [], troubles: [content] };
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
      title={text.upload.title[tab]}
      size="xl"
      fullScreen={phone}
      closeButtonProps={{ "aria-label": common.close }}
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
              {text.upload.registered[tab](count)}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button onClick={onClose} data-autofocus>
              {common.close}
            </Button>
          </Group>
        </Stack>
      ) : (
        <Stack>
          <FileInput
            label={text.upload.file}
            description={text.upload.fileHelp(MAX_ITEMS, MAX_BYTES / 1024 / 1024)}
            placeholder={text.upload.choose}
            accept=".csv,.json,.txt,text/csv,application/json"
            value={file}
            onChange={(chosen) => {
              applying.reset();
              setFile(chosen);
              if (chosen) checking.mutate(chosen);
            }}
            clearable
            clearButtonProps={{ "aria-label": text.upload.clear }}
            data-autofocus
          />
          <Format tab={tab} />
          <div aria-live="polite" data-upload={checking.status}>
            {checking.isPending && <Text size="sm">{text.upload.checking}</Text>}
            {errors.length > 0 && <Errors file={file} errors={errors} items={count} />}
            {problem && problem.errors.length === 0 && <ProblemAlert problem={problem} />}
            {checking.isSuccess && !checking.data && errors.length === 0 && (
              <Alert color="orange" variant="light">
                {text.upload.noItems}
              </Alert>
            )}
            {checking.data && errors.length === 0 && <Whole cost={checking.data} tab={tab} />}
          </div>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {common.cancel}
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
                {text.upload.checkAgain}
              </Button>
            )}
            <Button
              onClick={() => applying.mutate()}
              loading={applying.isPending}
              disabled={!checking.data || errors.length > 0}
            >
              {checking.data && errors.length === 0 ? text.upload.applyAll(count) : text.upload.apply}
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

function Format({ tab }: { tab: Tab }) {
  return (
    <div>
      <Text size="sm" c="dimmed" mb={4}>
        {text.upload.format}
      </Text>
      <Code block style={{ whiteSpace: "pre-wrap" }}>
        {text.upload.samples[tab]}
      </Code>
    </div>
  );
}

function Errors({ file, errors, items }: { file: File | null; errors: FieldError[]; items: number }) {
  return (
    <Stack gap="xs">
      <Alert color="red" variant="light" role="alert">
        {text.upload.errors(errors.length, file?.name ?? "", items)}
      </Alert>
      <Table aria-label={text.upload.errorTable} stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text.upload.line}</Table.Th>
            <Table.Th>{text.upload.field}</Table.Th>
            <Table.Th>{text.upload.error}</Table.Th>
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
        {errors.length > SHOWN && <Table.Caption>{text.upload.more(errors.length - SHOWN)}</Table.Caption>}
      </Table>
      {errors.length > SHOWN && (
        <Button variant="default" w="fit-content" onClick={() => download("errors.csv", errorsCsv(errors))}>
          {text.upload.downloadErrors}
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
        {announced
          ? text.upload.validCells(cost.items, cost.dz_cells, formatExcess(cost.excess, cost.volume_error))
          : text.upload.valid(cost.items)}
      </Alert>
      {announced && <CostSummary cost={cost} />}
    </Stack>
  );
}
