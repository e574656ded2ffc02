import { fireEvent, screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { type Call, refusal, serve, show } from "@/test-page";
import { Policy } from "./Policy";

let policy: Record<string, unknown>;
let calls: Call[];
let version: number;
let meanwhile: (() => void) | null;

beforeEach(() => {
  vi.restoreAllMocks();
  policy = { method: "la", sampling: 1, gain: 0.07, period: 300, alarms: [] };
  version = 1;
  meanwhile = null;
  calls = serve(({ method, path, body, query, match }) => {
    if (path === "/api/v1/me/") return { may: [{ resource: "aggregation", methods: ["GET", "PATCH"] }] };
    if (method === "GET") return { ...policy, version };
    if (query.dry_run) return { accepted: true, entries: [], results: [] };
    meanwhile?.();
    meanwhile = null;
    if (match !== `"${version}"`) throw refusal(412, "It was changed meanwhile.");
    version += 1;
    policy = { ...policy, ...(body as object) };
    return { ...policy };
  });
});

const sent = () => calls.filter(({ method }) => method === "PATCH").map(({ body }) => body);
const field = (name: RegExp) => screen.findByRole<HTMLInputElement>("textbox", { name });
const save = () => screen.getByRole<HTMLButtonElement>("button", { name: "Save" });
const press = async () => {
  await waitFor(() => expect(save().disabled).toBe(false));
  fireEvent.click(save());
};
const type = async (name: RegExp, value: string) =>
  fireEvent.change(await field(name), { target: { value } });

test("what somebody else changed since is not undone, and what nobody touched follows the server", async () => {
  const { client } = show(<Policy />);
  await type(/^Share/, "0.5");
  policy = { ...policy, period: 60, method: "fa-pb" };
  await client.invalidateQueries();
  await waitFor(async () => expect((await field(/^Period/)).value).toBe("60 s"));
  await press();
  await waitFor(() => expect(sent()).toEqual([{ sampling: 0.5 }]));
  expect(policy).toMatchObject({ sampling: 0.5, period: 60, method: "fa-pb" });
});

test("a field that somebody else changed too is told at saving, with theirs, before anything is sent", async () => {
  show(<Policy />);
  await type(/^Share/, "0.5");
  policy = { ...policy, sampling: 0.25 }; // not heard of before saving
  await press();
  const told = await screen.findByRole("alert");
  expect(told.textContent).toContain(": now 0.25.");
  expect(sent()).toEqual([]);
  expect(save().disabled).toBe(true);
  fireEvent.click(screen.getByRole("button", { name: /^Keep mine/ }));
  await press();
  await waitFor(() => expect(sent()).toEqual([{ sampling: 0.5 }]));
});

test("an edit that comes first by a moment is a conflict too, also when the method was confirmed", async () => {
  show(<Policy />);
  fireEvent.click(await screen.findByRole("radio", { name: "fa-lb" }));
  meanwhile = () => {
    policy = { ...policy, method: "none" };
    version += 1;
  };
  await press();
  fireEvent.click(await screen.findByRole("button", { name: "Change the method" }));
  expect((await screen.findByRole("alert")).textContent).toContain("Method: now none.");
  expect(policy.method).toBe("none");
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

test("theirs can be taken", async () => {
  const { client } = show(<Policy />);
  await type(/^Gain/, "20");
  policy = { ...policy, gain: 0.3 };
  await client.invalidateQueries();
  fireEvent.click(await screen.findByRole("button", { name: /^Take theirs/ }));
  expect((await field(/^Gain/)).value).toBe("30 %");
  expect(save().disabled).toBe(true);
  expect(sent()).toEqual([]);
});

test("a gain is shown and sent as it was typed", async () => {
  show(<Policy />);
  expect((await field(/^Gain/)).value).toBe("7 %");
  await type(/^Gain/, "14");
  await press();
  await waitFor(() => expect(sent()).toEqual([{ gain: 0.14 }]));
});

test.each([/^Gain/, /^Share/, /^Period/])("%s emptied is refused by its name", async (name) => {
  show(<Policy />);
  await type(name, "");
  expect((await field(name)).getAttribute("aria-invalid")).toBe("true");
  expect(screen.getByText(new RegExp(`${name.source}.* is empty; enter a number`))).toBeTruthy();
  fireEvent.submit(save());
  expect(save().disabled).toBe(true);
  expect(sent()).toEqual([]);
});
