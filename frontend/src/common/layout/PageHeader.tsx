import { Group, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";

/** A page's title, also in the window's, and its actions at the right. */
export function PageHeader({ title, children }: { title: string; children?: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Tercast`;
  }, [title]);
  return (
    <Group justify="space-between" mb="md" gap="sm">
      <Title order={1}>{title}</Title>
      <Group gap="xs">{children}</Group>
    </Group>
  );
}
