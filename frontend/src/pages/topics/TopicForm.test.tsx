import { fireEvent, screen, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { refusal, serve, show } from "@/test-page";
import { TopicForm } from "./TopicForm";

test("an error moves and disappears with its attribute", async () => {
  serve(() => {
    throw refusal(400, "Bad.", [
      { pointer: "/attributes/1/name", code: "bad_name", detail: "b c is not a valid name." },
    ]);
  });
  show(<TopicForm opened onClose={() => {}} />);
  const press = (name: RegExp) => fireEvent.click(screen.getByRole("button", { name }));
  const at = (n: number) => screen.getByRole("group", { name: `Attribute ${n}` });
  const typed = (n: number) => within(at(n)).getByRole<HTMLInputElement>("textbox", { name: /name/ });
  press(/Add attribute/);
  fireEvent.change(typed(1), { target: { value: "a" } });
  fireEvent.change(typed(2), { target: { value: "b c" } });
  press(/Create topic/);
  expect(await within(at(2)).findByText("b c is not a valid name.")).toBeTruthy();

  press(/Move attribute 2 up/);
  expect(typed(1).value).toBe("b c");
  expect(within(at(1)).getByText("b c is not a valid name.")).toBeTruthy();
  expect(within(at(2)).queryByText("b c is not a valid name.")).toBeNull();

  press(/Remove attribute 1/);
  expect(typed(1).value).toBe("a");
  expect(screen.queryByText("b c is not a valid name.")).toBeNull();
  expect(screen.queryByText(/Correct the marked fields/)).toBeNull();
});

test.each([true, false])("the server receives whether events are sealed (%s)", async (seal) => {
  const calls = serve(() => ({ id: 1, name: "t" }));
  show(<TopicForm opened onClose={() => {}} />);
  if (seal) fireEvent.click(screen.getByRole("checkbox", { name: "Seal events" }));
  fireEvent.click(screen.getByRole("button", { name: /Create topic/ }));
  await vi.waitFor(() => expect(calls.length).toBe(1));
  expect((calls[0]?.body as { seal?: boolean } | undefined)?.seal).toBe(seal ? true : undefined);
});
