import { ActionIcon, Code, CopyButton, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";

/** A text that is taken elsewhere: shown as it is, with a button that copies it. */
export function CopyText({ text, what }: { text: string; what: string }) {
  return (
    <>
      <Code style={{ overflowWrap: "anywhere", whiteSpace: "normal" }}>{text}</Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? "Copied" : "Copy"}>
            <ActionIcon variant="subtle" size="sm" onClick={copy} aria-label={`Copy ${what}`}>
              {copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </>
  );
}
