import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { serve, show } from "@/test-page";
import { Decision } from "./FoundLinks";

const link = {
  id: 7,
  a: "s1",
  a_port: 3,
  b: "s2",
  b_port: 4,
  state: "waiting",
  reason: "policy",
  detail: "not declared",
  found_at: "2026-11-28T12:00:00Z",
  seen_at: "2026-11-28T12:00:00Z",
  decided_by: "",
  decided_at: null,
} as const;

function served(methods: string[]) {
  return serve(({ path, method }) => {
    if (method === "POST") return path.includes("approve") ? { id: 1, state: "active" } : link;
    if (path.includes("/me/")) return { may: [{ resource: "found-links/{pk}/approve", methods }] };
    return {};
  });
}

test.each(["Approve", "Reject"])("an operator can %s a link", async (action) => {
  const calls = served(["GET", "POST"]);
  show(<Decision link={link} />);
  fireEvent.click(await screen.findByRole("button", { name: `${action} s1:3 to s2:4` }));
  await waitFor(() =>
    expect(calls.filter(({ method }) => method === "POST").map(({ path }) => path)).toEqual([
      `/api/v1/found-links/{id}/${action.toLowerCase()}/`,
    ]),
  );
});

test("a user without the permission sees no buttons", async () => {
  const calls = served(["GET"]);
  show(<Decision link={link} />);
  await waitFor(() => expect(calls.length).toBeGreaterThan(0));
  expect(screen.queryByRole("button", { name: /Approve|Reject/ })).toBeNull();
});
