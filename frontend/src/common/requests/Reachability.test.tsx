import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { ReachabilityBadge, UnreachableAlert } from "./Reachability";

const unreachable = {
  names: ["exchange"],
  more: false,
  since: "2026-11-28T12:00:00Z",
  detail: "It gets no event: no path leads to host h3 from any publisher that matches (exchange).",
  remedy: "Join the parts of the network.",
};

function shown(reach: string, missing: typeof unreachable | null) {
  return render(
    <MantineProvider env="test">
      <ReachabilityBadge reach={reach} unreachable={missing} />
      <UnreachableAlert reach={reach} unreachable={missing} />
    </MantineProvider>,
  );
}

test.each([
  ["none", "no path", "Out of reach"],
  ["partial", "paths missing", "Partly out of reach"],
])("%s is told in a word, and with its remedy", (reach, word, title) => {
  shown(reach, unreachable);
  expect(screen.getByText(word)).toBeTruthy();
  const told = screen.getByRole("alert").textContent;
  expect(told).toContain(title);
  expect(told).toContain(unreachable.detail);
  expect(told).toContain(unreachable.remedy);
});

test("nothing is said while paths lead to all", () => {
  shown("full", null);
  expect(screen.queryByRole("alert")).toBeNull();
  expect(document.querySelector("[data-reach]")).toBeNull();
});
