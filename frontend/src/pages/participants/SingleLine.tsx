import { Text } from "@mantine/core";
import type { ReactNode } from "react";

/** A name in one line, so that rows are alike; what is too long is cut, and told on hover. */
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
