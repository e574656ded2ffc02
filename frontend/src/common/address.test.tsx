import { act, renderHook } from "@testing-library/react";
import { MemoryRouter, useSearchParams } from "react-router";
import { expect, test } from "vitest";
import { useAddress, useChangeAddress } from "./address";

test("several changes before the next rendering are all applied", () => {
  const { result } = renderHook(
    () => ({ q: useAddress("q"), change: useChangeAddress(), shown: useSearchParams()[0].toString() }),
    { wrapper: ({ children }) => <MemoryRouter initialEntries={["/?page=3"]}>{children}</MemoryRouter> },
  );
  act(() => {
    result.current.q[1]("text");
    result.current.change({ topic: "quotes", page: null });
    result.current.q[1]("texts");
  });
  expect(result.current.shown).toBe("q=texts&topic=quotes");
});
