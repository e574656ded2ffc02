import { Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, type Schemas } from "@/api/client";
import { ConfirmDialog } from "@/common/layout/ConfirmDialog";

type Topic = Schemas["Topic"];
const PATH = "/api/v1/topics/{id}/";

/** Turns the seals of a topic's events on or off. */
export function SealDialog({ topic, onClose }: { topic: Topic; onClose: () => void }) {
  const queries = useQueryClient();
  const seal = !topic.seal;
  const change = useMutation({
    mutationFn: async () =>
      void (await api.PATCH(PATH, { params: { path: { id: String(topic.id) } }, body: { seal } })),
    onSuccess: () => {
      queries.invalidateQueries({ queryKey: ["/api/v1/topics/"] });
      const message = `Events of ${topic.name} are ${seal ? "sealed" : "no longer sealed"}.`;
      notifications.show({ message, color: "green" });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      opened
      title={seal ? `Seal the events of ${topic.name}?` : `Stop sealing the events of ${topic.name}?`}
      action={seal ? "Seal events" : "Stop sealing"}
      busy={change.isPending}
      problem={change.error}
      onConfirm={() => change.mutate()}
      onClose={onClose}
    >
      <Stack gap="xs">
        <Text>
          No event is lost: subscribers accept both kinds until every publisher has changed over, some
          minutes.
        </Text>
        {seal && (
          <Text>
            All hosts of the topic need a library that knows seals, and the API. Hosts in band get no keys.
          </Text>
        )}
      </Stack>
    </ConfirmDialog>
  );
}

/** Replaces the keys of a sealed topic. */
export function KeysDialog({ topic, onClose }: { topic: Topic; onClose: () => void }) {
  const rotate = useMutation({
    mutationFn: async () =>
      void (await api.POST("/api/v1/topics/{id}/keys/", { params: { path: { id: String(topic.id) } } })),
    onSuccess: () => {
      notifications.show({ message: `${topic.name} has new keys.`, color: "green" });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      opened
      title={`Replace the keys of ${topic.name}?`}
      action="Replace the keys"
      busy={rotate.isPending}
      problem={rotate.error}
      onConfirm={() => rotate.mutate()}
      onClose={onClose}
    >
      <Text>
        Publishers use the new keys from their next question on. The old keys are accepted for some minutes
        more. Subscribers that have withdrawn do not get the new ones.
      </Text>
    </ConfirmDialog>
  );
}
