import { readFileSync } from "node:fs";
import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { serve, show } from "@/test-page";
import { EmptyAnswer } from "./EmptyAnswer";

/** The server's own words, so that they and what the page makes of them stay together. */
const ASK = /ask = f"(ask for one .*)"/.exec(
  readFileSync(`${process.cwd()}/../platform/controlplane/analytics/empty_reasons.py`, "utf8"),
)?.[1];

test.each([
  { methods: ["POST"], told: /run it now by the button below, or wait/, button: true },
  { methods: [], told: /have an operator run it, or wait/, button: false },
])("a run that is missing is told by what to click: $methods", async ({ methods, told, button }) => {
  serve(() => ({ may: [{ resource: "analytics/runs", methods }] }));
  show(<EmptyAnswer job="delay" why={{ missing: "job", detail: `No run yet; ${ASK}, or wait.` }} />);
  expect(await screen.findByText(told)).toBeTruthy();
  expect(screen.queryByText(/POST/)).toBeNull();
  expect(screen.queryByRole("button", { name: "Run it now" }) !== null).toBe(button);
});
