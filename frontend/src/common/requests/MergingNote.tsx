import { Text } from "@mantine/core";
import { describeMerging, expectedCost, type Merging } from "./merging";

/** What a request merges to keep switches within their budgets, and the expected cost. */
export function MergingNote({ merging }: { merging: Merging | null | undefined }) {
  if (!merging) return null;
  return (
    <div data-merging>
      <Text size="sm">To keep budgets: {describeMerging(merging)}.</Text>
      <Text size="sm" c="dimmed">
        {expectedCost(merging)}
      </Text>
    </div>
  );
}
