import { screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { expect, test } from "vitest";
import { SwitchesTab } from "@/pages/budgets/switches/SwitchesTab";
import { Log } from "@/pages/requests/Log";
import { serve, show } from "@/test-page";

test.each<[string, ReactNode]>([
  ["requests", <Log key="log" />],
  ["budgets", <SwitchesTab key="switches" />],
])("in an empty installation the page %s links to the setup of a network", async (_, page) => {
  serve(() => ({ results: [], count: 0, next: null, previous: null, may: [], alarms: [] }));
  show(page);
  const link = await screen.findByRole("link", { name: "Set up a network" });
  expect(link.getAttribute("href")).toBe("/welcome");
});
