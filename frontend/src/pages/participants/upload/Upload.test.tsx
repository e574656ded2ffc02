import { fireEvent, screen } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { serve, show } from "@/test-page";
import { text } from "../text";
import { Upload } from "./Upload";

beforeEach(() => {
  vi.restoreAllMocks();
});

test.each([
  ["exact", 0, "337 %"],
  ["estimated", 0.02, `≈ 337 % (± ${(8.7).toLocaleString()} %)`],
])("the cost of a file has an %s excess", async (_, volume_error, excess) => {
  const cost = { accepted: true, entries: [], results: [], budgets_exceeded: [], merging: null };
  serve(({ query }) => query.dry_run && { ...cost, items: 1, dz_cells: 50, excess: 3.37, volume_error });
  show(<Upload tab="subscriptions" onClose={vi.fn()} />);
  const item = { subscriber: "alice", topic: "quotes", filter: "low < 5" };
  const file = new File([JSON.stringify([item])], "list.json", { type: "application/json" });
  fireEvent.change(document.querySelector("input[type=file]") as HTMLInputElement, {
    target: { files: [file] },
  });
  const found = await screen.findByText(/1 valid item/);
  expect(found.textContent).toBe(text.upload.validCells(1, 50, excess));
});
