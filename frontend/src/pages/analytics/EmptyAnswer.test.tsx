import { readFileSync } from "node:fs";
import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { serve, show } from "@/test-page";
import { EmptyAnswer } from "./EmptyAnswer";

/** Text of the server from its source: the test fails if only one of them changes. */
const ASK = /ask = f"([^"]*\(POST .*)"/.exec(
  readFileSync(`${process.cwd()}/../platform/controlplane/analytics/empty_reasons.py`, "utf8"),
)?.[1];

test.each([
  { methods: ["POST"], advice: /run it now with the button below, or wait/, button: true },
  { methods: [], advice: /ask an operator to run it, or wait/, button: false },
])(
  "the advice for a missing run names the control of the page: $methods",
  async ({ methods, advice, button }) => {
    serve(() => ({ may: [{ resource: "analytics/runs", methods }] }));
    show(<EmptyAnswer job="delay" why={{ missing: "job", detail: `No run yet; ${ASK}, or wait.` }} />);
    expect(await screen.findByText(advice)).toBeTruthy();
    expect(screen.queryByText(/POST/)).toBeNull();
    expect(screen.queryByRole("button", { name: "Run now" }) !== null).toBe(button);
  },
);
