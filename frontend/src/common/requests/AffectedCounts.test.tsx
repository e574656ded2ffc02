import { MantineProvider } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import type { Schemas } from "@/api/client";
import { asProblem, ProblemError } from "@/api/problems";
import { text } from "@/common/text";
import { Affected } from "./AffectedCounts";

function shown(query: object) {
  const found = query as UseQueryResult<Schemas["Affected"]>;
  return render(
    <MantineProvider>
      <Affected query={found} />
    </MantineProvider>,
  );
}

test("a failed count shows its error and can be repeated", () => {
  const refetch = vi.fn();
  const error = new ProblemError(asProblem({ status: 503, detail: "The planner was not free." }));
  shown({ error, isFetching: false, refetch });
  expect(screen.getByRole("alert").textContent).toContain("The planner was not free.");
  fireEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(refetch).toHaveBeenCalledOnce();
});

test("a repeated count shows that it runs", () => {
  shown({ error: new Error("before"), isFetching: true });
  expect(screen.getByRole("status").textContent).toBe(text.affected.counting);
});
