import { Anchor, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "react-router";
import { asProblem } from "@/api/problems";
import { ConfirmDialog } from "@/common/layout/ConfirmDialog";
import { Affected } from "@/common/requests/AffectedCounts";
import { affectedBy, remove } from "./calls";
import { type Participant, sideOf } from "./kinds";
import { text } from "./text";

/** Dialog that removes a participant, or shows the announcements that prevent it. */
export function RemoveDialog({
  tab,
  row,
  onClose,
}: {
  tab: "publishers" | "subscribers";
  row: Participant;
  onClose: () => void;
}) {
  const side = sideOf(tab);
  const queries = useQueryClient();
  const check = useQuery({
    queryKey: ["remove", tab, row.id],
    staleTime: 0,
    gcTime: 0,
    retry: false,
    queryFn: async () => {
      await remove(tab, row.id, true);
      return true;
    },
  });
  const go = useMutation({
    mutationFn: () => remove(tab, row.id),
    onSuccess: () => {
      notifications.show({ message: text.removal.removed(row.name), color: "green" });
      onClose();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: [`/api/v1/${tab}/`] }),
  });
  const blocked = check.error !== null && asProblem(check.error).status === 409;
  const affected = useQuery({
    queryKey: ["remove", tab, row.id, "affected"],
    enabled: blocked,
    gcTime: 0,
    queryFn: ({ signal }) => affectedBy(tab, row.id, signal),
  });
  return (
    <ConfirmDialog
      opened
      title={text[side.who].remove(row.name)}
      action={text.removal.confirm}
      danger
      busy={go.isPending || check.isPending}
      disabled={check.error !== null}
      problem={go.error ?? (blocked ? null : check.error)}
      onConfirm={() => go.mutate()}
      onClose={onClose}
    >
      {blocked ? (
        <Stack gap="xs">
          <Text size="sm">{asProblem(check.error).detail}</Text>
          <Affected query={affected} />
          <Anchor
            component={Link}
            size="sm"
            to={`/participants?tab=${side.announcements}&who=${encodeURIComponent(row.name)}`}
          >
            {text[side.who].showAnnouncements}
          </Anchor>
        </Stack>
      ) : (
        <Text size="sm">{text[side.who].removable}</Text>
      )}
    </ConfirmDialog>
  );
}
