import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, renderHook, screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { serve, show } from "@/test-page";
import { Component } from ".";
import { useTopics } from "./EventForm";
import { ExplanationView } from "./ExplanationView";
import type { Explanation } from "./explanation";

beforeEach(() => void vi.restoreAllMocks());

function topicsOf(text: string, publishers: string[]) {
  const calls = serve(({ path, query }) => {
    if (path === "/api/v1/publishers/")
      return { results: publishers.filter((name) => name === query.name).map((name) => ({ name })) };
    return { results: [{ topic: query.publisher === text ? "of the publisher" : "of the advertisement" }] };
  });
  const client = new QueryClient();
  const { result } = renderHook(() => useTopics(text), {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  });
  return { calls, result };
}

test("the name of a publisher takes precedence over that of an advertisement, as on the server", async () => {
  const { result } = topicsOf("a1", ["a1"]);
  await waitFor(() => expect(result.current.data).toEqual(["of the publisher"]));
});

test("a name that no publisher has is an advertisement", async () => {
  const { calls, result } = topicsOf("a12", ["a1"]);
  await waitFor(() => expect(result.current.data).toEqual(["of the advertisement"]));
  expect(calls.at(-1)?.query).toEqual({ id: 12 });
});

const verdict = (host: string, reason: string) => ({
  ...{ host, reason, detail: "", copies: 0, subscriptions: [], subscriptions_count: 0 },
});

const found = {
  event: { publisher: "p", host: "h", dz: "1", cuts: [], address: "ff0e::1" },
  ...{ tree: 1, path: [], real: null, loops: false, received: [verdict("h-sea", "match")] },
  not_received: [verdict("h-atl", "no_match"), verdict("h-hou", "no_subscription")],
} as unknown as Explanation;

test("the address contains which hosts are shown", async () => {
  const { at } = show(<ExplanationView found={found} />, "/explain?publisher=p&others=yes");
  expect(screen.getByText("Total: 3")).toBeTruthy();
  fireEvent.click(screen.getByRole("checkbox", { name: /without a subscription/ }));
  expect(at.now).toBe("/explain?publisher=p");
  expect(screen.getByText("Total: 2")).toBeTruthy();
  fireEvent.change(screen.getByRole("textbox", { name: "Search hosts" }), { target: { value: "atl" } });
  await waitFor(() => expect(at.now).toBe("/explain?publisher=p&host=atl"));
  expect(screen.getByText("Total: 1")).toBeTruthy();
});

test("without a publisher, the page links to the setup of a network", async () => {
  serve(() => ({ results: [] }));
  show(<Component />, "/explain");
  const link = await screen.findByRole("link", { name: "Set up a network" });
  expect(link.getAttribute("href")).toBe("/welcome");
});
