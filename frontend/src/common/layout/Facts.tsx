import { Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./Facts.module.css";

/** Names and what they are, one under the other; facts without a value are left out. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className={classes.facts}>
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== "")
        .map(([name, value]) => (
          <div key={name} className={classes.fact}>
            <Text component="dt" size="sm" c="dimmed">
              {name}
            </Text>
            <Group component="dd" gap={6} m={0}>
              {value}
            </Group>
          </div>
        ))}
    </dl>
  );
}
