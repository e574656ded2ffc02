import { Text } from "@mantine/core";
import { text } from "@/common/text";
import { describeMerging, type Merging, predictedCost } from "./merging";

/** Entries that a request merges to keep switches within their budgets, and the predicted cost. */
export function MergingNote({ merging }: { merging: Merging | null | undefined }) {
  if (!merging) return null;
  return (
    <div data-merging>
      <Text size="sm">{text.merging.note(describeMerging(merging))}</Text>
      <Text size="sm" c="dimmed">
        {predictedCost(merging)}
      </Text>
    </div>
  );
}
