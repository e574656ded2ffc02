import { Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, type Schemas } from "@/api/client";
import { ConfirmDialog } from "@/common/layout/ConfirmDialog";
import { text } from "./text";

type Topic = Schemas["Topic"];
const PATH = "/api/v1/topics/{id}/";

/** Dialog that starts or stops the sealing of a topic's events. */
export function SealDialog({ topic, onClose }: { topic: Topic; onClose: () => void }) {
  const queries = useQueryClient();
  const seal = !topic.seal;
  const change = useMutation({
    mutationFn: async () =>
      void (await api.PATCH(PATH, { params: { path: { id: String(topic.id) } }, body: { seal } })),
    onSuccess: () => {
      queries.invalidateQueries({ queryKey: ["/api/v1/topics/"] });
      const message = seal ? text.sealing.sealed(topic.name) : text.sealing.unsealed(topic.name);
      notifications.show({ message, color: "green" });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      opened
      title={seal ? text.sealing.sealTitle(topic.name) : text.sealing.stopTitle(topic.name)}
      action={seal ? text.sealing.seal : text.sealing.stop}
      busy={change.isPending}
      problem={change.error}
      onConfirm={() => change.mutate()}
      onClose={onClose}
    >
      <Stack gap="xs">
        <Text>{text.sealing.change}</Text>
        {seal && <Text>{text.sealing.requirements}</Text>}
      </Stack>
    </ConfirmDialog>
  );
}

/** Dialog that replaces the keys of a sealed topic. */
export function KeysDialog({ topic, onClose }: { topic: Topic; onClose: () => void }) {
  const rotate = useMutation({
    mutationFn: async () =>
      void (await api.POST("/api/v1/topics/{id}/keys/", { params: { path: { id: String(topic.id) } } })),
    onSuccess: () => {
      notifications.show({ message: text.keys.replaced(topic.name), color: "green" });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      opened
      title={text.keys.title(topic.name)}
      action={text.keys.confirm}
      busy={rotate.isPending}
      problem={rotate.error}
      onConfirm={() => rotate.mutate()}
      onClose={onClose}
    >
      <Text>{text.keys.effect}</Text>
    </ConfirmDialog>
  );
}
