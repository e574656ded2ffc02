import { expect, test } from "vitest";
import { meaningOfAlarm, meaningOfText } from "./alarms";

test.each([
  ["controller: duplicate_dpid raised: a second switch", "Two switches with one datapath id"],
  ["audit 7: switch s1 held 2 strange entries", "An audit found a difference"],
  ["telemetry of h1 stops without an end at 12:00", "A writer of telemetry fell silent"],
  ["telemetry: /x cannot be written: No space left on device", "Telemetry"],
  ["the controller does not answer, no table can be changed: refused", "The controller is away"],
  ["request 9 (set_indexed) changes the paths of topics in place: quotes", "A topic was changed in place"],
  ["link s1-s2 went down: 3 packets that were sent into it are lost", "A link went down under traffic"],
  ["link s1:1 to s2:2: found by probes and added to the network", "A link that nobody declared"],
  [
    "probes crossed link s1:1 to s2:2, which waits for approval: nobody declared it",
    "Found links wait for approval",
  ],
  [
    "probes crossed link s1:1 to s2:2, which waits for approval: one of these ports is declared with another connection",
    "A link where something else was declared",
  ],
  ["controller: bad_probe raised: a discovery probe has no seal", "A discovery probe that is not genuine"],
  [
    "switch s1 has room for 9 entries; its table is planned for 9 from now on",
    "A table has less room than declared",
  ],
])("%s", (text, title) => {
  expect(meaningOfText(text)?.title).toBe(title);
});

test("what is not known has no made-up meaning", () => {
  expect(meaningOfText("something new")).toBeNull();
  expect(meaningOfAlarm("something_new")).toBeNull();
});
