import { Alert, Badge, Text, Tooltip } from "@mantine/core";
import { IconUnlink } from "@tabler/icons-react";
import type { Schemas } from "@/api/client";
import { text } from "@/common/text";

type Missing = Schemas["Unreachable"];

interface Reachability {
  reach?: string | null;
  unreachable?: Missing | null;
}

const WORDS: Record<string, string> = text.reach.badge;

/** Badge for an announcement without paths to all its matches. Renders nothing if all paths exist. */
export function ReachabilityBadge({ reach, unreachable }: Reachability) {
  const words = WORDS[reach ?? ""];
  if (!words || !unreachable) return null;
  return (
    <Tooltip label={`${unreachable.detail} ${unreachable.remedy}`} multiline maw={360}>
      <Badge variant="light" color={reach === "none" ? "red" : "orange"} tabIndex={0} data-reach={reach}>
        {words}
      </Badge>
    </Tooltip>
  );
}

/** Alert for an announcement without paths to all its matches, with the remedy. */
export function UnreachableAlert({ reach, unreachable }: Reachability) {
  if (!unreachable) return null;
  return (
    <Alert
      color={reach === "none" ? "red" : "orange"}
      variant="light"
      icon={<IconUnlink size={18} aria-hidden />}
      title={reach === "none" ? text.reach.none : text.reach.partial}
      p="xs"
      data-unreachable={reach}
    >
      <Text size="sm">{unreachable.detail}</Text>
      <Text size="sm">{unreachable.remedy}</Text>
    </Alert>
  );
}
