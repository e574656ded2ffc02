import { Group, Title } from "@mantine/core";
import { type ReactNode, useEffect } from "react";

/** Title of a page, also for the browser window, and its actions. */
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
