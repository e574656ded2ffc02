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

test("a change by another user is kept, and untouched fields follow the server", async () => {
  const { client } = show(<Policy />);
  await type(/^Fraction/, "0.5");
  policy = { ...policy, period: 60, method: "fa-pb" };
  await client.invalidateQueries();
  await waitFor(async () => expect((await field(/^Period/)).value).toBe("60 s"));
  await press();
  await waitFor(() => expect(sent()).toEqual([{ sampling: 0.5 }]));
  expect(policy).toMatchObject({ sampling: 0.5, period: 60, method: "fa-pb" });
});

test("saving reports a field that another user changed too, with the other value, and sends nothing", async () => {
  show(<Policy />);
  await type(/^Fraction/, "0.5");
  policy = { ...policy, sampling: 0.25 }; // the page does not know this before saving
  await press();
  const conflict = await screen.findByRole("alert");
  expect(conflict.textContent).toContain("0.25");
  expect(sent()).toEqual([]);
  expect(save().disabled).toBe(true);
  fireEvent.click(screen.getByRole("button", { name: /^Keep my value/ }));
  await press();
  await waitFor(() => expect(sent()).toEqual([{ sampling: 0.5 }]));
});

test("an edit a moment before is a conflict too, also after the method was confirmed", async () => {
  show(<Policy />);
  fireEvent.click(await screen.findByRole("radio", { name: "fa-lb" }));
  meanwhile = () => {
    policy = { ...policy, method: "none" };
    version += 1;
  };
  await press();
  fireEvent.click(await screen.findByRole("button", { name: "Change method" }));
  const conflict = await screen.findByRole("alert");
  expect(conflict.getAttribute("data-conflict")).toBe("Method");
  expect(conflict.textContent).toContain("none");
  expect(policy.method).toBe("none");
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

test("the value of the other user can be chosen", async () => {
  const { client } = show(<Policy />);
  await type(/^Minimum/, "20");
  policy = { ...policy, gain: 0.3 };
  await client.invalidateQueries();
  fireEvent.click(await screen.findByRole("button", { name: /^Use the new value/ }));
  expect((await field(/^Minimum/)).value).toBe("30 %");
  expect(save().disabled).toBe(true);
  expect(sent()).toEqual([]);
});

test("a gain is shown and sent as typed", async () => {
  show(<Policy />);
  expect((await field(/^Minimum/)).value).toBe("7 %");
  await type(/^Minimum/, "14");
  await press();
  await waitFor(() => expect(sent()).toEqual([{ gain: 0.14 }]));
});

test.each([/^Minimum/, /^Fraction/, /^Period/])("an empty field %s is refused by its name", async (name) => {
  show(<Policy />);
  await type(name, "");
  expect((await field(name)).getAttribute("aria-invalid")).toBe("true");
  expect(screen.getByText(new RegExp(`^Enter the ${name.source.slice(1)}`, "i"))).toBeTruthy();
  fireEvent.submit(save());
  expect(save().disabled).toBe(true);
  expect(sent()).toEqual([]);
});
