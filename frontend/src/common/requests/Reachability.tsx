import { Alert, Badge, Text, Tooltip } from "@mantine/core";
import { IconUnlink } from "@tabler/icons-react";
import type { Schemas } from "@/api/client";

type Missing = Schemas["Unreachable"];

interface Reachability {
  reach?: string | null;
  unreachable?: Missing | null;
}

const WORDS: Record<string, string> = { none: "no path", partial: "paths missing" };

/** That paths to what an announcement matches are missing, in a list. Nothing while paths lead to all. */
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

/** The same with its remedy, where there is room for both. */
export function UnreachableAlert({ reach, unreachable }: Reachability) {
  if (!unreachable) return null;
  return (
    <Alert
      color={reach === "none" ? "red" : "orange"}
      variant="light"
      icon={<IconUnlink size={18} aria-hidden />}
      title={reach === "none" ? "Out of reach" : "Partly out of reach"}
      p="xs"
      data-unreachable={reach}
    >
      <Text size="sm">{unreachable.detail}</Text>
      <Text size="sm">{unreachable.remedy}</Text>
    </Alert>
  );
}
