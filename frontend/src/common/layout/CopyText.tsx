import { ActionIcon, Code, CopyButton, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { text as common } from "@/common/text";

const labels = common.copy;

/** Text with a button that copies it. `what` names the text, for the accessible name of the button. */
export function CopyText({ text, what }: { text: string; what: string }) {
  return (
    <>
      <Code style={{ overflowWrap: "anywhere", whiteSpace: "normal" }}>{text}</Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? labels.copied : labels.copy}>
            <ActionIcon variant="subtle" size="sm" onClick={copy} aria-label={labels.object(what)}>
              {copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </>
  );
}
