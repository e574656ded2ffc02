import { Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

/** Why there is nothing to see (`cause`), and the next step (`children`: a button, a link). */
export function Empty({ cause, children }: { cause: ReactNode; children?: ReactNode }) {
  return (
    <Stack align="flex-start" gap="sm" py="lg" px="md" data-empty>
      <Text c="dimmed">{cause}</Text>
      {children}
    </Stack>
  );
}
