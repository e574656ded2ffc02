import { Anchor, Code, List, ScrollArea, Table, Text, Title } from "@mantine/core";
import type { Nodes, TableCell } from "mdast";
import { Fragment, type ReactNode } from "react";
import { text } from "@/common/text";

/** Function that opens the target of a link; null if the target is outside the documentation. */
type Follow = (link: string) => (() => void) | null;

/** Blocks of a page of the documentation as React elements. */
export function Markdown({ nodes, follow }: { nodes: readonly Nodes[]; follow: Follow }) {
  return (
    <>
      {nodes.map((node, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the text does not change
        <Fragment key={i}>{element(node, follow)}</Fragment>
      ))}
    </>
  );
}

/** Convert a block. Unknown blocks show their content. HTML is left out. */
function element(node: Nodes, follow: Follow): ReactNode {
  const within = "children" in node && <Markdown nodes={node.children} follow={follow} />;
  switch (node.type) {
    case "text":
      return node.value;
    case "inlineCode":
      return <Code>{node.value}</Code>;
    case "strong":
      return <strong>{within}</strong>;
    case "emphasis":
      return <em>{within}</em>;
    case "link":
      return (
        <Reference to={node.url} follow={follow}>
          {within}
        </Reference>
      );
    case "heading":
      return <Title order={node.depth > 2 ? 4 : 3}>{within}</Title>;
    case "paragraph":
      return <Text size="sm">{within}</Text>;
    case "code":
      return (
        <ScrollArea viewportProps={{ tabIndex: 0, role: "region", "aria-label": text.documentation.code }}>
          <Code block>{node.value}</Code>
        </ScrollArea>
      );
    case "list":
      return (
        <List size="sm" spacing={4} type={node.ordered ? "ordered" : "unordered"}>
          {within}
        </List>
      );
    case "listItem":
      return <List.Item>{within}</List.Item>;
    case "table":
      return <Rows rows={node.children.map(({ children }) => children)} follow={follow} />;
    default:
      return within || null;
  }
}

function Reference({ to, follow, children }: { to: string; follow: Follow; children: ReactNode }) {
  if (/^https?:/.test(to)) {
    return (
      <Anchor href={to} target="_blank" rel="noreferrer" size="sm">
        {children}
      </Anchor>
    );
  }
  const open = follow(to);
  if (!open) return children;
  return (
    <Anchor component="button" type="button" size="sm" onClick={open}>
      {children}
    </Anchor>
  );
}

function Rows({ rows: [header = [], ...rows], follow }: { rows: TableCell[][]; follow: Follow }) {
  return (
    <Table.ScrollContainer minWidth={0}>
      <Table verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            {header.map((cell, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the text does not change
              <Table.Th key={i}>
                <Markdown nodes={cell.children} follow={follow} />
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the text does not change
            <Table.Tr key={i}>
              {row.map((cell, j) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the text does not change
                <Table.Td key={j} style={{ verticalAlign: "top", overflowWrap: "anywhere" }}>
                  <Markdown nodes={cell.children} follow={follow} />
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
