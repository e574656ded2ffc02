import { Code, Select, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Fragment, useMemo } from "react";
import { api, type Schemas } from "@/api/client";
import { asProblem } from "@/api/problems";
import { HelpIcon } from "@/common/documentation/HelpIcon";
import { readPage } from "@/common/tables/list";
import { useLiveRefresh } from "@/live/LiveProvider";
import { switchName } from "../model/descriptions";
import type { Network } from "../model/network";
import { text } from "../text";

const { tree: texts } = text;
const MOST = 1_000;
const CELLS = 6; // dz that are shown

/** The selected tree, or null. `gone`: the tree in the address does not exist any more. */
export function useTree(id: string): { tree: Schemas["Tree"] | null; gone: boolean } {
  const { data, error } = useQuery({
    queryKey: ["tree", id],
    enabled: id !== "",
    retry: false,
    queryFn: async () => (await api.GET("/api/v1/trees/{id}/", { params: { path: { id } } })).data,
  });
  return { tree: (id && data) || null, gone: id !== "" && error !== null && asProblem(error).status === 404 };
}

/** Description of the tree in the drawing: root, number of links, and its dz. */
export function TreeDescription({ network, tree, gone }: { network: Network } & ReturnType<typeof useTree>) {
  if (gone) return <Text size="sm">{texts.gone}</Text>;
  if (!tree) return null;
  const more = tree.dz.length - CELLS;
  return (
    <Text size="sm" component="div" data-about-tree>
      {texts.about(
        tree.name,
        tree.topic,
        switchName(network, tree.root),
        tree.edges.length,
        tree.dz.slice(0, CELLS).map((dz, i) => (
          <Fragment key={dz}>
            {i > 0 && ", "}
            <Code>{dz || text.wholeSpace}</Code>
          </Fragment>
        )),
        more,
      )}{" "}
      <HelpIcon term="tree" />
    </Text>
  );
}

/** List to select the tree in the drawing. */
export function TreePicker({
  network,
  value,
  onPick,
}: {
  network: Network;
  value: string;
  onPick: (id: string | null) => void;
}) {
  const { data } = useQuery({
    queryKey: ["trees"],
    queryFn: ({ signal }) => readPage<Schemas["Tree"]>("/api/v1/trees/", { limit: MOST }, signal),
  });
  useLiveRefresh(["request", "requests", "move"], ["trees"]);
  const choices = useMemo(
    () =>
      (data?.results ?? []).map((tree) => ({
        value: String(tree.id),
        label: texts.option(tree.topic, tree.name, switchName(network, tree.root)),
      })),
    [data, network],
  );
  return (
    <Select
      aria-label={texts.show}
      placeholder={choices.length > 0 ? texts.show : texts.none}
      size="xs"
      w={220}
      data={choices}
      value={value || null}
      onChange={onPick}
      disabled={choices.length === 0}
      searchable
      clearable
      limit={100}
      nothingFoundMessage={texts.noMatch}
    />
  );
}
