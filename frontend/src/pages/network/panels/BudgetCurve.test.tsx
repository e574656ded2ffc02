import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { serve, show } from "@/test-page";
import { useSelection } from "../model/selection";
import { BudgetCurve } from "./BudgetCurve";

function Others() {
  const [, select] = useSelection();
  return (
    <button type="button" onClick={() => select({ kind: "switch", name: "s2" })}>
      other switch
    </button>
  );
}

test("a curve and its method are in the address until another switch is selected", async () => {
  const calls = serve(() => ({ points: [], events: 0 }));
  const { at } = show(
    <>
      <BudgetCurve row={{ id: 3 }} />
      <Others />
    </>,
    "/network?switch=s1&method=optimal",
  );
  expect(calls).toEqual([]);
  fireEvent.click(screen.getByRole("button", { name: "Calculate" }));
  await waitFor(() => expect(calls.map(({ query }) => query)).toEqual([{ method: "optimal" }]));
  expect(at.now).toBe("/network?switch=s1&method=optimal&curve=yes");
  fireEvent.click(screen.getByRole("button", { name: "other switch" }));
  expect(at.now).toBe("/network?switch=s2");
});
