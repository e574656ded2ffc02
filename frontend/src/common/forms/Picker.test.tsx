import { fireEvent, screen, waitFor } from "@testing-library/react";
import { useState } from "react";
import { expect, test, vi } from "vitest";
import { type Call, serve, show } from "@/test-page";
import { Picker } from "./Picker";

const HOSTS = ["h-atl-1", "h-sea-1", "h-sea-2"];

function Form() {
  const [host, setHost] = useState("");
  return <Picker path="/api/v1/hosts/" label="Host" value={host} onChange={setHost} />;
}

test("Enter chooses the first match", async () => {
  Element.prototype.scrollIntoView = vi.fn(); // jsdom has none
  serve(({ query }: Call) => {
    const results = HOSTS.filter((name) => name.includes(String(query.q ?? ""))).map((name) => ({ name }));
    return { results, count: results.length };
  });
  show(<Form />);
  const field = screen.getByRole<HTMLInputElement>("combobox", { name: "Host" });
  field.focus();
  fireEvent.click(field);
  await screen.findByRole("option", { name: "h-sea-2" });
  fireEvent.keyDown(field, { key: "Escape", code: "Escape" });
  fireEvent.change(field, { target: { value: "sea" } });
  fireEvent.keyDown(field, { key: "Enter", code: "Enter" });
  await waitFor(() => expect(field.value).toBe("h-sea-1"));
});
