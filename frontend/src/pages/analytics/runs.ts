import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, type Schemas } from "@/api/client";
import { asProblem } from "@/api/problems";
import { formatAge } from "@/common/formatting/time";
import { jobTitle } from "./jobs";

export type JobRun = Schemas["AnalyticsRun"];
export type Schedule = Schemas["Schedule"];
export type JobRunWish = Schemas["AnalyticsRunCreateRequest"];

export const RUNS = "/api/v1/analytics/runs/";
export const SCHEDULES = "/api/v1/analytics/schedules/";

/** Asks for a run of a job; what it is asked with is told by a message, or is `error` of the mutation. */
export function useRunNow({ quiet = false } = {}) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (body: JobRunWish) => (await api.POST("/api/v1/analytics/runs/", { body })).data,
    onSuccess: (run) => {
      notifications.show({
        message: `Run ${run?.id} of ${jobTitle(run?.job ?? "")} is queued.`,
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

/** How long a run took, or has taken. */
export function durationOf(run: JobRun): string {
  if (!run.started_at) return "–";
  return formatAge((run.ended_at ? Date.parse(run.ended_at) : Date.now()) - Date.parse(run.started_at));
}
