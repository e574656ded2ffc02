import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { quoteShellWord } from "./shell";

test.each([
  "low=50",
  "s=it's",
  "s=x'; echo no; echo '",
  's=a b\t$HOME `id` \\ "',
  "s=a\nb",
  "",
  "s=ü*?~",
  "-x",
])("a shell reads %j as one word", (text) => {
  const printed = execFileSync("sh", ["-c", `printf '%s.' ${quoteShellWord(text)}`], { encoding: "utf8" });
  expect(printed).toBe(`${text}.`);
});

test("plain words are not quoted", () => expect(quoteShellWord("fd00::2%eth0")).toBe("fd00::2%eth0"));
