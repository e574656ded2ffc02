import { expect, test } from "vitest";
import { aLink, aNetwork, aSwitch } from "../model/fixture";
import { positions } from "./positions";

test("a switch without a position is near its neighbour, and moves no other switch", () => {
  const place = positions(
    aNetwork(
      [aSwitch("s1", { x: 0, y: 0 }), aSwitch("s2", { x: 100, y: 0 }), aSwitch("new")],
      [aLink(1, "s1", "new")],
    ),
  );
  expect(place.get("s1")).toEqual({ x: 0, y: 0 });
  const { x, y } = place.get("new") ?? { x: Number.NaN, y: Number.NaN };
  expect(Math.hypot(x, y)).toBeLessThan(100);
  const unplaced = aNetwork([aSwitch("s1"), aSwitch("s2")], [aLink(7, "s1", "s2")]);
  expect(positions(unplaced).size).toBe(2);
});
