import { Code } from "@mantine/core";

/** What the server says: words between backticks are something to be typed or looked up. */
export function InlineMarkup({ text }: { text: string }) {
  return (
    <>
      {text.split(/`([^`]+)`/).map((part, i) =>
        i % 2 === 1 ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no name
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
