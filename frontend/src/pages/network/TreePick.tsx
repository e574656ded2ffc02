import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { api, type Schemas } from "@/api/client";
import { read } from "@/common/list";
import { useLiveRefresh } from "@/live/LiveProvider";
import { nameOf } from "./describe";
import type { Network } from "./model";

const MOST = 1_000;

/** The tree that is shown; null: none. */
export function useTree(id: string): Schemas["Tree"] | null {
  const { data } = useQuery({
    queryKey: ["tree", id],
    enabled: id !== "",
    retry: false,
    queryFn: async () => (await api.GET("/api/v1/trees/{id}/", { params: { path: { id } } })).data,
  });
  return (id && data) || null;
}

/** Picks the tree that is drawn. */
export function TreePick({
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
    queryFn: ({ signal }) => read<Schemas["Tree"]>("/api/v1/trees/", { limit: MOST }, signal),
  });
  useLiveRefresh(["request", "requests", "move"], ["trees"]);
  const choices = useMemo(
    () =>
      (data?.results ?? []).map((tree) => ({
        value: String(tree.id),
        label: `${tree.topic}: ${tree.name} from ${nameOf(network, tree.root)}`,
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
