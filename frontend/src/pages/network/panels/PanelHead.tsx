import { CloseButton, Group, Text, Title } from "@mantine/core";
import type { ReactNode, Ref } from "react";
import type { Adjacency } from "../model/neighbourhood";
import type { Network } from "../model/network";
import type { Selection } from "../model/selection";
import type { LoadHistory } from "../model/useNetwork";
import { text } from "../text";

/** Properties of every panel. */
export interface PanelProps {
  network: Network;
  watched: LoadHistory;
  adjacent: Adjacency;
  selection: NonNullable<Selection>;
  onSelect: (selection: Selection) => void;
  onClose: () => void;
  heading: Ref<HTMLHeadingElement>;
}

/** The head of a panel with its title and a button to close it. */
export function PanelHead({
  title,
  aside,
  heading,
  onClose,
}: {
  title: string;
  aside?: ReactNode;
  heading: Ref<HTMLHeadingElement>;
  onClose: () => void;
}) {
  return (
    <Group justify="space-between" wrap="nowrap" align="flex-start" mb={6}>
      <div style={{ minWidth: 0 }}>
        <Title order={2} ref={heading} tabIndex={-1}>
          {title}
        </Title>
        {aside && (
          <Text size="sm" c="dimmed" component="div">
            {aside}
          </Text>
        )}
      </div>
      <CloseButton aria-label={text.closeDetails} onClick={onClose} />
    </Group>
  );
}
