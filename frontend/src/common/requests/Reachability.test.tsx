import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { text } from "@/common/text";
import { ReachabilityBadge, UnreachableAlert } from "./Reachability";

const unreachable = {
  names: ["exchange"],
  more: false,
  since: "2026-11-28T12:00:00Z",
  detail: "It receives no events: no path exists to host h3 from any matching publisher (exchange).",
  remedy: "Connect the parts of the network.",
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
  ["none", "no path", text.reach.none],
  ["partial", "paths missing", text.reach.partial],
])("the reach %s has a badge, and an alert with the remedy", (reach, word, title) => {
  shown(reach, unreachable);
  expect(screen.getByText(word)).toBeTruthy();
  const alert = screen.getByRole("alert").textContent;
  expect(alert).toContain(title);
  expect(alert).toContain(unreachable.detail);
  expect(alert).toContain(unreachable.remedy);
});

test("full reach shows nothing", () => {
  shown("full", null);
  expect(screen.queryByRole("alert")).toBeNull();
  expect(document.querySelector("[data-reach]")).toBeNull();
});
