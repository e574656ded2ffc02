import { useQuery } from "@tanstack/react-query";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { api, type Schemas } from "@/api/client";
import { type Call, refusal, serve, show } from "@/test-page";
import { IndexedDialog } from "./IndexedDialog";

let topic: { version: number; indexed: string[]; automatic_indexing: boolean };
let calls: Call[];
let meanwhile: (() => void) | null;

function edit(values: object) {
  topic = { ...topic, ...values, version: topic.version + 1 };
}

beforeEach(() => {
  vi.restoreAllMocks();
  meanwhile = null;
  const attributes = ["price", "volume", "symbol"].map((name) => ({ name, type: "int", min: 0, max: 9 }));
  topic = Object.assign({ id: 1, name: "quotes", attributes } as object, {
    ...{ version: 1, indexed: ["price"], automatic_indexing: false },
  });
  calls = serve(({ method, query, body, match }) => {
    if (method === "GET") return { ...topic };
    if (query.dry_run) return { accepted: true, items: 1, entries: [], results: [], budgets_exceeded: [] };
    meanwhile?.();
    meanwhile = null;
    if (match !== `"${topic.version}"`) throw refusal(412, "It was changed meanwhile.");
    edit(body as object);
    return { ...topic };
  });
});

function Dialog({ onClose }: { onClose: () => void }) {
  const found = useQuery({
    queryKey: ["/api/v1/topics/", "named", "quotes"],
    queryFn: async () => (await api.GET("/api/v1/topics/", {})).data as unknown as Schemas["Topic"],
  });
  return found.data ? <IndexedDialog topic={found.data} onClose={onClose} /> : null;
}

function shown() {
  const onClose = vi.fn();
  return { onClose, ...show(<Dialog onClose={onClose} />) };
}

const sent = () => calls.filter(({ method, query }) => method === "PATCH" && !query.dry_run);
const bodies = () => sent().map(({ body }) => body);
const button = () => screen.getByRole<HTMLButtonElement>("button", { name: "Change indexed attributes" });
const change = async () => {
  await waitFor(() => expect(button().disabled).toBe(false));
  fireEvent.click(button());
};
const box = (name: RegExp) => screen.findByRole<HTMLInputElement>("checkbox", { name });
const automatic = () => screen.findByRole("switch", { name: /automatically/ });

test("an edit of the automatic choice does not send back what others indexed", async () => {
  const { client, onClose } = shown();
  fireEvent.click(await automatic());
  edit({ indexed: ["price", "symbol"] });
  await client.invalidateQueries();
  await waitFor(async () => expect((await box(/symbol/)).checked).toBe(true));
  await change();
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(bodies()).toEqual([{ automatic_indexing: true }]);
  expect(topic.indexed).toEqual(["price", "symbol"]);
});

test("a conflict is shown with its value, and nothing is sent before the choice", async () => {
  const { onClose } = shown();
  fireEvent.click(await box(/volume/));
  edit({ indexed: ["symbol"] }); // the dialog does not know of it before it sends the change
  await change();
  expect((await screen.findByRole("alert")).textContent).toContain(": symbol.");
  expect(bodies()).toEqual([]);
  fireEvent.click(screen.getByRole("button", { name: /^Keep my value/ }));
  await change();
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(bodies()).toEqual([{ indexed: ["price", "volume"] }]);
});

test("a concurrent edit of the same field is a conflict, and one of another field is not", async () => {
  const { onClose } = shown();
  fireEvent.click(await box(/volume/));
  meanwhile = () => edit({ indexed: ["symbol"] });
  await change();
  fireEvent.click(await screen.findByRole("button", { name: /^Use the new value/ }));
  expect((await box(/symbol/)).checked).toBe(true);
  expect(topic.indexed).toEqual(["symbol"]);

  fireEvent.click(await box(/volume/));
  meanwhile = () => edit({ automatic_indexing: true });
  await change();
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(topic).toMatchObject({ indexed: ["volume", "symbol"], automatic_indexing: true });
});
