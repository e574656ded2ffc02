import { Anchor, Code, Drawer, List, Loader, ScrollArea, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Fragment, useState } from "react";
import { type Block, blocks, type Inline, inline, section } from "./markdown";
import { ProblemAlert } from "./ProblemAlert";

const PAGES = import.meta.glob<string>("../../../docs/*.md", { query: "?raw", import: "default" });

interface Place {
  page: string;
  heading: string;
}

/** Opens a part of the documentation beside the page; `to` is "operations.md, Audits". */
export function DocsLink({ to, children }: { to: string; children?: string }) {
  const [page = "", heading = ""] = to.split(", ");
  const [place, setPlace] = useState<Place | null>(null);
  return (
    <>
      <Anchor component="button" type="button" size="sm" onClick={() => setPlace({ page, heading })}>
        {children ?? "In the documentation"}
      </Anchor>
      <Drawer
        opened={place !== null}
        onClose={() => setPlace(null)}
        position="right"
        size="xl"
        title={`docs/${place?.page ?? page}`}
        closeButtonProps={{ "aria-label": "Close" }}
      >
        {place && <Part place={place} go={setPlace} />}
      </Drawer>
    </>
  );
}

function Part({ place, go }: { place: Place; go: (place: Place) => void }) {
  const text = useQuery({
    queryKey: ["docs", place.page],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const load = PAGES[`../../../docs/${place.page}`];
      if (!load) throw new Error(`There is no page ${place.page} in the documentation.`);
      return blocks(await load());
    },
  });
  const follow = (to: string) => {
    const [page, heading = ""] = to.split("#");
    go({ page: page || place.page, heading });
  };
  if (text.error) return <ProblemAlert problem={text.error} />;
  if (!text.data) return <Loader role="status" size="sm" aria-label="Loading" />;
  return (
    <Stack gap="sm">
      {section(text.data, place.heading).map((block, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the text does not change
        <OneBlock key={i} block={block} follow={follow} />
      ))}
    </Stack>
  );
}

function OneBlock({ block, follow }: { block: Block; follow: (to: string) => void }) {
  const words = (text: string) => <Words text={text} follow={follow} />;
  switch (block.kind) {
    case "heading":
      return <Title order={block.level > 2 ? 4 : 3}>{words(block.text)}</Title>;
    case "code":
      return (
        <ScrollArea viewportProps={{ tabIndex: 0, role: "region", "aria-label": "Code" }}>
          <Code block>{block.text}</Code>
        </ScrollArea>
      );
    case "list":
      return (
        <List size="sm" spacing={4}>
          {block.items.map((item) => (
            <List.Item key={item}>{words(item)}</List.Item>
          ))}
        </List>
      );
    case "table":
      return (
        <Table verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              {block.header.map((cell) => (
                <Table.Td key={cell} fw={600}>
                  {words(cell)}
                </Table.Td>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {block.rows.map((row) => (
              <Table.Tr key={row.join("|")}>
                {row.map((cell, i) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: cells of a row may be the same
                  <Table.Td key={i} style={{ verticalAlign: "top", overflowWrap: "anywhere" }}>
                    {words(cell)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      );
    default:
      return <Text size="sm">{words(block.text)}</Text>;
  }
}

function Words({ text, follow }: { text: string; follow: (to: string) => void }) {
  return (
    <>
      {inline(text).map((one, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the text does not change
        <Fragment key={i}>{shown(one, follow)}</Fragment>
      ))}
    </>
  );
}

function shown({ kind, text, to = "" }: Inline, follow: (to: string) => void) {
  if (kind === "code") return <Code>{text}</Code>;
  if (kind === "strong") return <strong>{text}</strong>;
  if (kind !== "link" || !(to.startsWith("#") || /^[\w-]+\.md/.test(to))) return text;
  return (
    <Anchor component="button" type="button" size="sm" onClick={() => follow(to)}>
      {text}
    </Anchor>
  );
}
