import { Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

/** Empty state: the reason (`cause`) and the next step (`children`, for example a button). */
export function Empty({ cause, children }: { cause: ReactNode; children?: ReactNode }) {
  return (
    <Stack align="flex-start" gap="sm" py="lg" px="md" data-empty>
      <Text c="dimmed">{cause}</Text>
      {children}
    </Stack>
  );
}
