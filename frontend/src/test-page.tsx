// Support for unit tests of pages: a function replaces the server.

import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import { type ReactNode, useLayoutEffect } from "react";
import { MemoryRouter, useLocation } from "react-router";
import { vi } from "vitest";
import { api } from "@/api/client";
import { asProblem, ProblemError } from "@/api/problems";
import { LiveProvider } from "@/live/LiveProvider";

export interface Call {
  method: string;
  path: string;
  query: Record<string, unknown>;
  body?: unknown;
  match?: string;
}

/** Replace the server by `answer`. Returns the calls in order. The tag of an object is its version. */
export function serve(answer: (call: Call) => unknown): Call[] {
  const calls: Call[] = [];
  for (const method of ["GET", "POST", "PATCH"] as const) {
    // biome-ignore lint/suspicious/noExplicitAny: the client's types are by path
    vi.spyOn(api, method).mockImplementation((async (path: string, init: any = {}) => {
      const call = {
        ...{ method, path, query: init.params?.query ?? {}, body: init.body },
        match: init.headers?.["If-Match"],
      };
      calls.push(call);
      const data = answer(call) as { version?: number } | undefined;
      return { data, response: new Response(null, { headers: { ETag: `"${data?.version ?? 1}"` } }) };
    }) as never);
  }
  return calls;
}

/** Error of a refused call. */
export const refusal = (status: number, detail: string, errors: object[] = []) =>
  new ProblemError(asProblem({ status, title: "Refused", detail, errors }));

/** Report the address when its content is in the document, and not before, since React may pause while it renders. */
function Address({ report }: { report: (address: string) => void }) {
  const { pathname, search } = useLocation();
  useLayoutEffect(() => report(pathname + search));
  return null;
}

/** Live stream without messages. */
class Silent extends EventTarget {
  close() {}
}

/** Render a part of a page at an address. */
export function show(part: ReactNode, address = "/") {
  vi.stubGlobal("WebSocket", Silent);
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const at = { now: address };
  const report = (now: string) => {
    at.now = now;
  };
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={client}>
        <LiveProvider>
          <MemoryRouter initialEntries={[address]}>
            <Address report={report} />
            {part}
          </MemoryRouter>
        </LiveProvider>
      </QueryClientProvider>
    </MantineProvider>,
  );
  return { client, at };
}
