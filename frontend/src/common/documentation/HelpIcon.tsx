import { ActionIcon, Anchor, Box, Group, Popover, Stack, Text } from "@mantine/core";
import { IconInfoCircle } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { text } from "@/common/text";
import { DocsDrawer } from "./DocsLink";
import type { Place } from "./place";

/** Terms of the glossary that have a help icon. */
export type Term = keyof typeof text.terms;

/** Button that shows the definition of a term, with a link to the glossary. */
export function HelpIcon({ term }: { term: Term }) {
  const [opened, setOpened] = useState(false);
  const [place, setPlace] = useState<Place | null>(null);
  const { question, definition, heading } = text.terms[term];
  const openGlossary = () => {
    setOpened(false);
    setPlace({ page: "glossary.md", heading });
  };
  return (
    <>
      <Popover opened={opened} onChange={setOpened} width={280} withArrow shadow="md" trapFocus returnFocus>
        <Popover.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={20}
            aria-label={question}
            onClick={(event) => {
              event.stopPropagation();
              setOpened(!opened);
            }}
          >
            <IconInfoCircle size={14} aria-hidden />
          </ActionIcon>
        </Popover.Target>
        <Popover.Dropdown aria-label={question} onClick={(event) => event.stopPropagation()}>
          <Stack gap={6} align="flex-start">
            <Text size="sm" fw={400} ta="left" style={{ whiteSpace: "normal" }}>
              {definition}
            </Text>
            <Anchor component="button" type="button" size="sm" onClick={openGlossary}>
              {text.help.more}
            </Anchor>
          </Stack>
        </Popover.Dropdown>
      </Popover>
      <DocsDrawer place={place} go={setPlace} />
    </>
  );
}

/** A text with the help icon of a term behind it. */
export function WithHelp({ term, children }: { term: Term; children: ReactNode }) {
  return (
    <Group component="span" gap={4} wrap="nowrap" display="inline-flex">
      {children}
      <HelpIcon term={term} />
    </Group>
  );
}

/**
 * Value of `inputContainer` of a Mantine input: puts the help icon of a term next to the input.
 *
 * An icon in the label would become a part of the input's accessible name.
 */
export const withHelpIcon = (term: Term) => (input: ReactNode) => (
  <Group gap={4} wrap="nowrap">
    <Box flex={1}>{input}</Box>
    <HelpIcon term={term} />
  </Group>
);
