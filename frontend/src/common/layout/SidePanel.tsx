import { Drawer, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { text } from "@/common/text";

/** Panel with details at the side of a page; on a phone it covers the page. Escape closes it and returns the focus. */
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
      closeButtonProps={{ "aria-label": text.closeDetails }}
      transitionProps={{ duration: 0 }}
      overlayProps={{ backgroundOpacity: 0.15 }}
    >
      {children}
    </Drawer>
  );
}
