import { Code, Select, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Fragment, useMemo } from "react";
import { api, type Schemas } from "@/api/client";
import { asProblem } from "@/api/problems";
import { formatQuantity } from "@/common/requests/AffectedCounts";
import { readPage } from "@/common/tables/list";
import { useLiveRefresh } from "@/live/LiveProvider";
import { switchName } from "../model/descriptions";
import type { Network } from "../model/network";

const MOST = 1_000;
const CELLS = 6; // dz that are told

/** The tree that is shown; null: none, and whether the one that is asked for is there no more. */
export function useTree(id: string): { tree: Schemas["Tree"] | null; gone: boolean } {
  const { data, error } = useQuery({
    queryKey: ["tree", id],
    enabled: id !== "",
    retry: false,
    queryFn: async () => (await api.GET("/api/v1/trees/{id}/", { params: { path: { id } } })).data,
  });
  return { tree: (id && data) || null, gone: id !== "" && error !== null && asProblem(error).status === 404 };
}

/** What is drawn, in words: where a tree begins, how far it goes, and what of its topic it carries. */
export function TreeDescription({ network, tree, gone }: { network: Network } & ReturnType<typeof useTree>) {
  if (gone)
    return (
      <Text size="sm">
        That tree is there no more: its topic has moved to other trees, or nothing of it is advertised.
      </Text>
    );
  if (!tree) return null;
  const more = tree.dz.length - CELLS;
  return (
    <Text size="sm" data-about-tree>
      Tree {tree.name} of {tree.topic}, from {switchName(network, tree.root)} over{" "}
      {formatQuantity(tree.edges.length, "link")}, carries dz{" "}
      {tree.dz.slice(0, CELLS).map((dz, i) => (
        <Fragment key={dz}>
          {i > 0 && ", "}
          <Code>{dz || "all"}</Code>
        </Fragment>
      ))}
      {more > 0 && ` and ${more.toLocaleString()} more`}.
    </Text>
  );
}

/** Picks the tree that is drawn. */
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
        label: `${tree.topic}: ${tree.name} from ${switchName(network, tree.root)}`,
      })),
    [data, network],
  );
  return (
    <Select
      aria-label="Show a tree"
      placeholder={choices.length > 0 ? "Show a tree" : "There is no tree yet"}
      size="xs"
      w={220}
      data={choices}
      value={value || null}
      onChange={onPick}
      disabled={choices.length === 0}
      searchable
      clearable
      limit={100}
      nothingFoundMessage="No tree is called so"
    />
  );
}
