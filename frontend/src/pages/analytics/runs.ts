import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, type Schemas } from "@/api/client";
import { asProblem } from "@/api/problems";
import { formatAge } from "@/common/formatting/time";
import { jobTitle } from "./jobs";
import { text } from "./text";

export type JobRun = Schemas["AnalyticsRun"];
export type Schedule = Schemas["Schedule"];
export type JobRunWish = Schemas["AnalyticsRunCreateRequest"];

export const RUNS = "/api/v1/analytics/runs/";
export const SCHEDULES = "/api/v1/analytics/schedules/";

/** Mutation that requests a run of a job; with `quiet`, the caller shows errors. */
export function useRunNow({ quiet = false } = {}) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (body: JobRunWish) => (await api.POST("/api/v1/analytics/runs/", { body })).data,
    onSuccess: (run) => {
      notifications.show({
        message: text.runs.queued(run?.id, jobTitle(run?.job ?? "")),
        color: "green",
      });
      queries.invalidateQueries({ queryKey: [RUNS] });
      queries.invalidateQueries({ queryKey: ["analytics"] });
    },
    onError: (error) => {
      if (quiet) return;
      const problem = asProblem(error);
      notifications.show({ title: problem.title, message: problem.detail, color: "red", autoClose: 10_000 });
    },
  });
}

/** Return the duration of a run, up to now if it has not ended. */
export function durationOf(run: JobRun): string {
  if (!run.started_at) return "–";
  return formatAge((run.ended_at ? Date.parse(run.ended_at) : Date.now()) - Date.parse(run.started_at));
}
