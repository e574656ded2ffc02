import { Button, Group, Modal, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { text } from "@/common/text";
import { ProblemAlert } from "./ProblemAlert";

/** Dialog before an action. `children` describe the effect. The dialog stays open if the action fails. */
export function ConfirmDialog({
  opened,
  title,
  action,
  danger = false,
  busy = false,
  disabled = false,
  problem,
  onConfirm,
  onClose,
  children,
}: {
  opened: boolean;
  title: string;
  action: string;
  danger?: boolean;
  busy?: boolean;
  disabled?: boolean;
  problem?: unknown;
  onConfirm: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Modal opened={opened} onClose={onClose} title={title} closeButtonProps={{ "aria-label": text.close }}>
      <Stack>
        <div>{children}</div>
        <ProblemAlert problem={problem} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {text.cancel}
          </Button>
          <Button color={danger ? "red" : undefined} onClick={onConfirm} loading={busy} disabled={disabled}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
