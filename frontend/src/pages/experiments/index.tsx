import { Anchor, Badge, Group, Loader, Select, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api } from "@/api/client";
import { useAddress } from "@/common/address";
import { DocsLink } from "@/common/documentation/DocsLink";
import { CopyText } from "@/common/layout/CopyText";
import { Empty } from "@/common/layout/Empty";
import { PageHeader } from "@/common/layout/PageHeader";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { SidePanel } from "@/common/layout/SidePanel";
import { text as common } from "@/common/text";
import { ExperimentDetails } from "./ExperimentDetails";
import { filtered, held, papersOf, type Summary, verdictColor } from "./experiment";
import { text } from "./text";

/** Page with the verdicts of the papers' experiments. The address contains the filters and the selection. */
export function Component() {
  const [paper, setPaper] = useAddress("paper");
  const [verdict, setVerdict] = useAddress("verdict");
  const [selected, setSelected] = useAddress("figure");
  const found = useQuery({
    queryKey: ["/api/v1/experiments/"],
    queryFn: async ({ signal }) => (await api.GET("/api/v1/experiments/", { signal })).data,
  });
  const all = found.data?.experiments ?? [];
  const rows = filtered(all, paper, verdict);
  return (
    <Stack>
      <PageHeader title={text.title}>
        <DocsLink to="figures.md">{text.docs}</DocsLink>
      </PageHeader>
      <Text size="sm">{text.introduction}</Text>
      {found.error && <ProblemAlert problem={found.error} />}
      {found.isPending && <Loader role="status" size="sm" aria-label={common.loading} />}
      {found.data && all.length === 0 && (
        <Empty cause={text.empty}>
          <div>
            <CopyText text={text.measure} what={text.commandName} />
          </div>
        </Empty>
      )}
      {all.length > 0 && (
        <>
          <Group>
            <Select
              label={text.filters.paper}
              w={280}
              placeholder={text.filters.all}
              data={papersOf(all)}
              value={paper || null}
              onChange={setPaper}
              clearable
            />
            <Select
              label={text.filters.verdict}
              placeholder={text.filters.all}
              data={Object.entries(text.verdicts).map(([value, label]) => ({ value, label }))}
              value={verdict || null}
              onChange={setVerdict}
              clearable
            />
          </Group>
          {rows.length > 0 ? (
            <FigureTable rows={rows} onSelect={setSelected} />
          ) : (
            <Empty cause={text.noMatch} />
          )}
        </>
      )}
      <SidePanel opened={selected !== ""} title={selected} size={760} onClose={() => setSelected(null)}>
        {selected && <ExperimentDetails name={selected} />}
      </SidePanel>
    </Stack>
  );
}

function FigureTable({ rows, onSelect }: { rows: Summary[]; onSelect: (name: string) => void }) {
  return (
    <Table.ScrollContainer
      minWidth={320}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: "region", "aria-label": text.list } }}
    >
      <Table aria-label={text.list} highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text.columns.figure}</Table.Th>
            <Table.Th visibleFrom="sm">{text.columns.title}</Table.Th>
            <Table.Th>{text.columns.verdict}</Table.Th>
            <Table.Th>{text.columns.claims}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((one) => (
            <Table.Tr key={one.name}>
              <Table.Td>
                <Anchor
                  component="button"
                  type="button"
                  size="sm"
                  ta="left"
                  onClick={() => onSelect(one.name)}
                >
                  {one.name}
                </Anchor>
                <Text size="xs" c="dimmed" hiddenFrom="sm">
                  {one.title}
                </Text>
              </Table.Td>
              <Table.Td visibleFrom="sm">{one.title}</Table.Td>
              <Table.Td>
                <Badge color={verdictColor(one.verdict)} variant="light">
                  {text.verdicts[one.verdict]}
                </Badge>
              </Table.Td>
              <Table.Td style={{ whiteSpace: "nowrap" }}>{text.held(held(one), one.claims.length)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
