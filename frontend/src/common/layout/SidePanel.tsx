import { Drawer, Text } from "@mantine/core";
import type { ReactNode } from "react";

/** Details beside a page, over all of it on a phone; Escape closes it, and focus goes back to where it was. */
export function SidePanel({
  opened,
  onClose,
  title,
  size = 560,
  children,
}: {
  opened: boolean;
  onClose: () => void;
  title: ReactNode;
  size?: number;
  children: ReactNode;
}) {
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position="right"
      size={size}
      title={
        <Text component="span" fw={600} size="lg">
          {title}
        </Text>
      }
      closeButtonProps={{ "aria-label": "Close the details" }}
      transitionProps={{ duration: 0 }}
      overlayProps={{ backgroundOpacity: 0.15 }}
    >
      {children}
    </Drawer>
  );
}
