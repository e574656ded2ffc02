import { CloseButton, Group, Text, Title } from "@mantine/core";
import type { ReactNode, RefObject } from "react";
import type { Adjacency } from "../model/neighbourhood";
import type { Network } from "../model/network";
import type { Selection } from "../model/selection";
import type { LoadHistory } from "../model/useNetwork";

/** What every panel gets from the page. */
export interface PanelProps {
  network: Network;
  watched: LoadHistory;
  adjacent: Adjacency;
  selection: NonNullable<Selection>;
  onSelect: (selection: Selection) => void;
  onClose: () => void;
  heading: RefObject<HTMLHeadingElement | null>;
}

/** The head of a panel: what it is about, and the way out. */
export function PanelHead({
  title,
  aside,
  heading,
  onClose,
}: {
  title: string;
  aside?: ReactNode;
  heading: RefObject<HTMLHeadingElement | null>;
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
      <CloseButton aria-label="Close the details" onClick={onClose} />
    </Group>
  );
}
