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
import { useLiveRefresh } from "@/live/LiveProvider";
import { JOBS, jobTitle } from "./jobs";
import { SCHEDULES, type Schedule, useRunNow } from "./runs";

type Change = Schemas["PatchedScheduleChangeRequest"];

/** When jobs run by themselves: on or off, how often, and once now. */
export function Schedules() {
  const list = useList<Schedule>(SCHEDULES, {}, { name: "schedules", ordering: "id" });
  const [edited, setEdited] = useState<Schedule | null>(null);
  useLiveRefresh(["analytics"], [SCHEDULES]);
  return (
    <Stack gap="xs">
      <Title order={2}>Schedules</Title>
      <ProblemAlert problem={list.error} retry={list.refetch} />
      <Table.ScrollContainer minWidth={0}>
        <Table aria-label="Schedules">
          <Table.Thead visibleFrom="sm">
            <Table.Tr>
              <Table.Th>Job</Table.Th>
              <Table.Th>Runs</Table.Th>
              <Table.Th>Windows</Table.Th>
              <Table.Th>Next run</Table.Th>
              <Table.Th>On</Table.Th>
              <Table.Th>Actions</Table.Th>
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
          aria-label={`Run now: ${title}`}
        >
          Run now
        </Button>
      )}
      {mayChange && (
        <Button
          size="compact-xs"
          variant="default"
          onClick={onEdit}
          aria-label={`Edit the schedule of ${title}`}
        >
          Edit
        </Button>
      )}
    </Group>
  );
  const next = schedule.enabled ? <Time at={schedule.next_run} /> : "off";
  return (
    <Table.Tr data-schedule={schedule.name}>
      <Table.Td>
        <Text size="sm" fw={500}>
          {title}
        </Text>
        <Text size="xs" c="dimmed">
          {JOBS[schedule.job]?.what}
        </Text>
        <Text size="xs" hiddenFrom="sm">
          {schedule.timetable}; next: {next}
        </Text>
        {schedule.problem && (
          <Text size="xs" c="red" role="alert">
            Cannot run: {schedule.problem}.
          </Text>
        )}
      </Table.Td>
      <Table.Td visibleFrom="sm">{schedule.timetable}</Table.Td>
      <Table.Td visibleFrom="sm">{schedule.window}</Table.Td>
      <Table.Td visibleFrom="sm">{next}</Table.Td>
      <Table.Td>
        {mayChange ? (
          <Switch
            aria-label={`Schedule of ${title}`}
            checked={schedule.enabled}
            disabled={change.isPending}
            onChange={(event) => change.mutate({ enabled: event.currentTarget.checked })}
          />
        ) : schedule.enabled ? (
          "on"
        ) : (
          "off"
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
      title={`Schedule of ${jobTitle(schedule.job)}`}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <Stack gap="sm">
          <NumberInput
            label="Seconds between runs"
            description={
              schedule.period === null
                ? `Now ${schedule.timetable}; seconds take its place.`
                : "Times that pass while nobody works are one run."
            }
            value={period}
            onChange={setPeriod}
            min={1}
            allowDecimal={false}
            error={problems.period}
            data-autofocus
          />
          <TextInput
            label="Length of windows"
            description='like "1 minute"; another length begins results of their own'
            value={window}
            onChange={(event) => setWindow(event.currentTarget.value)}
            error={problems.window}
          />
          <ProblemAlert problem={change.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={change.isPending}>
              Save
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
        message: `${jobTitle(schedule?.job ?? "")} ${schedule?.enabled ? `runs ${schedule.timetable}` : "runs no more by itself"}.`,
        color: "green",
      }),
    onSettled: () => queries.invalidateQueries({ queryKey: [SCHEDULES] }),
  });
}
