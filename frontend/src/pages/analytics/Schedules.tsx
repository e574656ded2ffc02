import {
  Button,
  Group,
  Modal,
  NumberInput,
  Stack,
  Switch,
  Table,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, type Schemas } from "@/api/client";
import { useMay } from "@/api/me";
import { asProblem, byField } from "@/api/problems";
import { Time } from "@/common/formatting/time";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { useList } from "@/common/tables/list";
import { text as common } from "@/common/text";
import { useLiveRefresh } from "@/live/LiveProvider";
import { jobTitle } from "./jobs";
import { SCHEDULES, type Schedule, useRunNow } from "./runs";
import { text } from "./text";

type Change = Schemas["PatchedScheduleChangeRequest"];

/** Schedules of jobs: on or off, interval, and a button that runs a job now. */
export function Schedules() {
  const list = useList<Schedule>(SCHEDULES, {}, { name: "schedules", ordering: "id" });
  const [edited, setEdited] = useState<Schedule | null>(null);
  useLiveRefresh(["analytics"], [SCHEDULES]);
  return (
    <Stack gap="xs">
      <Title order={2}>{text.schedules.title}</Title>
      <ProblemAlert problem={list.error} retry={list.refetch} />
      <Table.ScrollContainer minWidth={0}>
        <Table aria-label={text.schedules.title}>
          <Table.Thead visibleFrom="sm">
            <Table.Tr>
              <Table.Th>{text.schedules.job}</Table.Th>
              <Table.Th>{text.schedules.timetable}</Table.Th>
              <Table.Th>{text.schedules.window}</Table.Th>
              <Table.Th>{text.schedules.next}</Table.Th>
              <Table.Th>{text.schedules.enabled}</Table.Th>
              <Table.Th>{text.schedules.actions}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {list.rows.map((schedule) => (
              <Row key={schedule.id} schedule={schedule} onEdit={() => setEdited(schedule)} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {edited && <Edit schedule={edited} onClose={() => setEdited(null)} />}
    </Stack>
  );
}

function Row({ schedule, onEdit }: { schedule: Schedule; onEdit: () => void }) {
  const mayChange = useMay("analytics/schedules", "PATCH");
  const mayRun = useMay("analytics/runs", "POST");
  const run = useRunNow();
  const change = useChange(schedule.id);
  const title = jobTitle(schedule.job);
  const buttons = (
    <Group gap={6} wrap="nowrap">
      {mayRun && (
        <Button
          size="compact-xs"
          variant="light"
          loading={run.isPending}
          onClick={() => run.mutate({ job: schedule.job, window: schedule.window })}
          aria-label={text.schedules.runNowOf(title)}
        >
          {text.schedules.runNow}
        </Button>
      )}
      {mayChange && (
        <Button
          size="compact-xs"
          variant="default"
          onClick={onEdit}
          aria-label={text.schedules.editOf(title)}
        >
          {text.schedules.edit}
        </Button>
      )}
    </Group>
  );
  const next = schedule.enabled ? <Time at={schedule.next_run} /> : text.schedules.off;
  return (
    <Table.Tr data-schedule={schedule.name}>
      <Table.Td>
        <Text size="sm" fw={500}>
          {title}
        </Text>
        <Text size="xs" c="dimmed">
          {text.jobs[schedule.job]?.description}
        </Text>
        <Text size="xs" hiddenFrom="sm">
          {schedule.timetable}. {text.schedules.nextRun} {next}
        </Text>
        {schedule.problem && (
          <Text size="xs" c="red" role="alert">
            {text.schedules.problem(schedule.problem)}
          </Text>
        )}
      </Table.Td>
      <Table.Td visibleFrom="sm">{schedule.timetable}</Table.Td>
      <Table.Td visibleFrom="sm">{schedule.window}</Table.Td>
      <Table.Td visibleFrom="sm">{next}</Table.Td>
      <Table.Td>
        {mayChange ? (
          <Switch
            aria-label={text.schedules.switchOf(title)}
            checked={schedule.enabled}
            disabled={change.isPending}
            onChange={(event) => change.mutate({ enabled: event.currentTarget.checked })}
          />
        ) : schedule.enabled ? (
          text.schedules.on
        ) : (
          text.schedules.off
        )}
        <ProblemAlert problem={change.error} />
      </Table.Td>
      <Table.Td>{buttons}</Table.Td>
    </Table.Tr>
  );
}

function Edit({ schedule, onClose }: { schedule: Schedule; onClose: () => void }) {
  const [period, setPeriod] = useState<number | string>(schedule.period ?? "");
  const [window, setWindow] = useState(schedule.window);
  const change = useChange(schedule.id);
  const problems = change.error ? byField(asProblem(change.error), ["period", "window"]) : {};
  const send = () => {
    const body: Change = {};
    if (typeof period === "number" && period !== schedule.period) body.period = period;
    if (window !== schedule.window) body.window = window;
    if (Object.keys(body).length === 0) return onClose();
    change.mutate(body, { onSuccess: onClose });
  };
  return (
    <Modal
      opened
      onClose={onClose}
      title={text.schedules.dialog.title(jobTitle(schedule.job))}
      closeButtonProps={{ "aria-label": common.close }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <Stack gap="sm">
          <NumberInput
            label={text.schedules.dialog.period}
            description={
              schedule.period === null
                ? text.schedules.dialog.replaced(schedule.timetable)
                : text.schedules.dialog.missed
            }
            value={period}
            onChange={setPeriod}
            min={1}
            allowDecimal={false}
            error={problems.period}
            data-autofocus
          />
          <TextInput
            label={text.schedules.dialog.window}
            description={text.schedules.dialog.windowHelp}
            value={window}
            onChange={(event) => setWindow(event.currentTarget.value)}
            error={problems.window}
          />
          <ProblemAlert problem={change.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {common.cancel}
            </Button>
            <Button type="submit" loading={change.isPending}>
              {text.schedules.dialog.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function useChange(id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (body: Change) =>
      (await api.PATCH("/api/v1/analytics/schedules/{id}/", { params: { path: { id: String(id) } }, body }))
        .data,
    onSuccess: (schedule) =>
      notifications.show({
        message: schedule?.enabled
          ? text.schedules.dialog.enabled(jobTitle(schedule.job), schedule.timetable)
          : text.schedules.dialog.disabled(jobTitle(schedule?.job ?? "")),
        color: "green",
      }),
    onSettled: () => queries.invalidateQueries({ queryKey: [SCHEDULES] }),
  });
}
