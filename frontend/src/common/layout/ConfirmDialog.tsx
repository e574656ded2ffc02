import { Button, Group, Modal, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { ProblemAlert } from "./ProblemAlert";

/** Asks before something is done; `children` say what it does and who is affected. Stays open while it fails. */
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
    <Modal opened={opened} onClose={onClose} title={title} closeButtonProps={{ "aria-label": "Close" }}>
      <Stack>
        <div>{children}</div>
        <ProblemAlert problem={problem} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button color={danger ? "red" : undefined} onClick={onConfirm} loading={busy} disabled={disabled}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
