import { expect, test } from "vitest";
import { meaningOfAlarm, meaningOfText } from "./meanings";

test.each([
  ["controller: duplicate_dpid raised: a second switch", "Two switches with the same datapath id"],
  ["audit 7: switch s1 held 2 strange entries", "An audit found a difference"],
  [
    "telemetry writer h1 sent its latest report at 12:00, but no final report: it was killed",
    "A program that writes telemetry stopped without a final report",
  ],
  [
    'host h1 rejected 11 events of topic "quotes" (invalid seal: 11). The sender is not the host',
    "Events that a subscriber rejected",
  ],
  ["telemetry: /x cannot be written: No space left on device", "Telemetry"],
  ["the controller does not answer, so no table can be changed: refused", "The controller does not respond"],
  [
    "request 9 (set_indexed) changes the paths of topics without a transition: quotes",
    "A topic was changed without a transition",
  ],
  ["link s1-s2 went down: 3 packets that were sent into it are lost", "A link with traffic is down"],
  ["link s1:1 to s2:2: found by probes and added to the network", "A link that was not registered"],
  [
    "probes crossed link s1:1 to s2:2, which waits for approval: it is not registered",
    "Found links wait for approval",
  ],
  [
    "probes crossed link s1:1 to s2:2, which waits for approval: one of its ports is registered with another connection",
    "A link that contradicts the registered links",
  ],
  ["disk of state is nearly full: 90 MiB free", "A disk that is nearly full"],
  [
    "the event space of topic quotes no longer fits its filters and events: proposal 7 avoids 40 % of the false positives",
    "An event space with avoidable false positives",
  ],
  ["source check: switch s1 dropped 12 event packets", "Events with a wrong source address"],
  ["controller: untrusted_switch raised: no certificate", "A switch without a valid certificate"],
  ["controller: bad_probe raised: a discovery probe has no seal", "A discovery probe that is not genuine"],
  [
    "switch s1 reports a capacity of 9 entries; the planner now limits its table to 9 entries",
    "A table with a capacity below its budget",
  ],
])("%s", (text, title) => {
  expect(meaningOfText(text)?.title).toBe(title);
});

test("an unknown alarm has no meaning", () => {
  expect(meaningOfText("something new")).toBeNull();
  expect(meaningOfAlarm("something_new")).toBeNull();
});
