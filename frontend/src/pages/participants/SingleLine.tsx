import { Text } from "@mantine/core";
import type { ReactNode } from "react";

/** Name in one line, so that all rows have the same height; hover shows it in full. */
export function SingleLine({ children }: { children: ReactNode }) {
  return (
    <Text
      size="sm"
      component="span"
      truncate
      maw={180}
      style={{ display: "block" }}
      title={typeof children === "string" ? children : undefined}
    >
      {children}
    </Text>
  );
}
