import { Button, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconRefresh } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "react-router";
import { useMay } from "@/api/me";
import type { NetworkRequest } from "@/api/request";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { helpfulPages, neededRight, repeatCall } from "./remedy";
import { text } from "./text";

/** Reason of a failed request with its remedy, links to the pages for it, and a button that repeats the call. */
export function FailureHelp({ request, onOpen }: { request: NetworkRequest; onOpen: (id: string) => void }) {
  const pages = helpfulPages(request);
  const queries = useQueryClient();
  const call = repeatCall(request);
  const right = neededRight(request.kind);
  const may = useMay(right?.resource ?? "", right?.method ?? "POST");
  const retry = useMutation({
    mutationFn: async () => (call ? call() : undefined),
    onSuccess: (made) => {
      if (!made) return;
      notifications.show({ message: text.failure.repeated(made.id) });
      queries.invalidateQueries({ queryKey: ["/api/v1/requests/"] });
      onOpen(String(made.id));
    },
  });
  return (
    <Stack gap="sm">
      <ProblemAlert problem={{ title: text.failure.title, ...request.problem, status: 0 }} />
      <Text size="sm" fw={600}>
        {text.failure.remedy}
      </Text>
      <Text size="sm">{request.problem?.remedy}</Text>
      <Group gap="xs">
        {pages.map(({ label, to }) => (
          <Button key={to} size="xs" variant="light" component={Link} to={to}>
            {label}
          </Button>
        ))}
        {call && may && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRefresh size={14} aria-hidden />}
            loading={retry.isPending}
            onClick={() => retry.mutate()}
          >
            {text.failure.retry}
          </Button>
        )}
      </Group>
      <ProblemAlert problem={retry.error} />
    </Stack>
  );
}
