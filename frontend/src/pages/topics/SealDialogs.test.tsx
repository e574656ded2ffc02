import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import type { Schemas } from "@/api/client";
import { type Call, refusal, serve, show } from "@/test-page";
import { KeysDialog, SealDialog } from "./SealDialogs";

const topic = (seal: boolean) => ({ id: 7, name: "quotes", seal }) as Schemas["Topic"];

function shown(Dialog: typeof SealDialog, seal: boolean, answer: (call: Call) => unknown = () => ({})) {
  const calls = serve(answer);
  const onClose = vi.fn();
  show(<Dialog topic={topic(seal)} onClose={onClose} />);
  const writes = () => calls.filter(({ method }) => method !== "GET");
  return { onClose, writes };
}

test.each([
  [false, "Seal events", { seal: true }],
  [true, "Stop sealing", { seal: false }],
] as const)("a topic with seal %s has the button %s", async (seal, action, body) => {
  const { onClose, writes } = shown(SealDialog, seal);
  expect(writes()).toEqual([]);
  fireEvent.click(await screen.findByRole("button", { name: action }));
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(writes()).toMatchObject([{ method: "PATCH", path: "/api/v1/topics/{id}/", body }]);
});

test("the dialog lists the requirements before seals begin", async () => {
  shown(SealDialog, false);
  expect((await screen.findByRole("dialog")).textContent).toContain(
    "Hosts that use in-band signalling get no keys",
  );
});

test("the dialog lists no requirements when seals end", async () => {
  shown(SealDialog, true);
  expect((await screen.findByRole("dialog")).textContent).not.toContain("in-band signalling");
});

test("one call replaces the keys", async () => {
  const { onClose, writes } = shown(KeysDialog, true);
  fireEvent.click(await screen.findByRole("button", { name: "Replace keys" }));
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(writes()).toMatchObject([{ method: "POST", path: "/api/v1/topics/{id}/keys/" }]);
});

test.each([
  [SealDialog, false, "Seal events", "The host h1 uses the topic in band."],
  [KeysDialog, true, "Replace keys", "The topic is not sealed."],
] as const)("a refusal is shown and the dialog stays", async (Dialog, seal, action, detail) => {
  const { onClose } = shown(Dialog, seal, () => {
    throw refusal(409, detail);
  });
  fireEvent.click(await screen.findByRole("button", { name: action }));
  expect((await screen.findByRole("alert")).textContent).toContain(detail);
  expect(onClose).not.toHaveBeenCalled();
});

test.each([SealDialog, KeysDialog])("Cancel changes nothing", async (Dialog) => {
  const { onClose, writes } = shown(Dialog, true);
  fireEvent.click(await screen.findByRole("button", { name: "Cancel" }));
  expect(onClose).toHaveBeenCalled();
  expect(writes()).toEqual([]);
});
