import { Code } from "@mantine/core";

/** Text of the server. Words in backticks are shown as code. */
export function InlineMarkup({ text }: { text: string }) {
  return (
    <>
      {text.split(/`([^`]+)`/).map((part, i) =>
        i % 2 === 1 ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no key
          <Code key={i} style={{ overflowWrap: "anywhere", whiteSpace: "normal" }}>
            {part}
          </Code>
        ) : (
          part
        ),
      )}
    </>
  );
}
