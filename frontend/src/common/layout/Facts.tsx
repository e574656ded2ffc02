import { Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { HelpIcon, type Term } from "@/common/documentation/HelpIcon";
import classes from "./Facts.module.css";

/** Name and value of a fact, and the term whose help icon is next to the name. */
type Fact = readonly [name: string, value: ReactNode, help?: Term];

/** List of names and values. Facts without a value are left out. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className={classes.facts}>
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== "")
        .map(([name, value, help]) => (
          <div key={name} className={classes.fact}>
            <Text component="dt" size="sm" c="dimmed">
              {name} {help && <HelpIcon term={help} />}
            </Text>
            <Group component="dd" gap={6} m={0}>
              {value}
            </Group>
          </div>
        ))}
    </dl>
  );
}
