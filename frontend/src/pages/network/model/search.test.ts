import { expect, test } from "vitest";
import { aLink, aNetwork, aSwitch } from "./fixture";
import { searchSwitches } from "./search";

const network = aNetwork(
  [aSwitch("s1"), aSwitch("s2", { label: "Denver" })],
  [aLink(7, "s1", "s2")],
  [["h1", "s2"]],
);

test("the search finds switches by name, by label and by their hosts", () => {
  const names = (q: string) => searchSwitches(network, q, null).map(({ row, host }) => [row.name, host]);
  expect(names("")).toEqual([
    ["s2", null],
    ["s1", null],
  ]);
  expect(names("denv")).toEqual([["s2", null]]);
  expect(names("H1")).toEqual([["s2", "h1"]]);
  expect(searchSwitches(network, "", new Set(["s1"])).map(({ row }) => row.name)).toEqual(["s1"]);
});
