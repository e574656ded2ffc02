import { Badge, Button, Group, Select, Text, Title } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createColumnHelper } from "@tanstack/react-table";
import { useState } from "react";
import { api } from "@/api/client";
import { useMay, useMe } from "@/api/me";
import { useAddress } from "@/common/address";
import { Time } from "@/common/formatting/time";
import { ConfirmDialog } from "@/common/layout/ConfirmDialog";
import { Empty } from "@/common/layout/Empty";
import { DataTable } from "@/common/tables/DataTable";
import { useList } from "@/common/tables/list";
import { IssueToken } from "./IssueToken";
import { describeScope, TOKENS, type Token } from "./tokens";

const COLOR: Record<string, string> = { good: "green", expired: "gray", revoked: "red" };
const column = createColumnHelper<Token>();

/** Access tokens: one's own, or all for administrators; made, and revoked for good. */
export function Tokens() {
  const { data: me } = useMe();
  const mayMake = useMay("tokens", "POST");
  const mayRevoke = useMay("tokens", "DELETE");
  const [standing, setStanding] = useAddress("standing");
  const [ordering, setOrdering] = useAddress("ordering", "-id");
  const [making, setMaking] = useState(false);
  const [revoked, setRevoked] = useState<Token | null>(null);
  const list = useList<Token>(TOKENS, { standing }, { ordering, limit: 50, name: "tokens" });
  const all = me?.role === "administrator";
  const make = mayMake && <Button onClick={() => setMaking(true)}>Make a token…</Button>;
  return (
    <section aria-label="Tokens">
      <Group justify="space-between" mb="xs">
        <div>
          <Title order={2}>{all ? "Tokens of all users" : "Your tokens"}</Title>
          <Text size="sm" c="dimmed">
            Programs send one with each call of the API. A token never changes, and can be revoked.
          </Text>
        </div>
        <Group gap="xs">
          <Select
            aria-label="Standing"
            placeholder="All"
            clearable
            w={130}
            data={["good", "expired", "revoked"]}
            value={standing || null}
            onChange={setStanding}
          />
          {make}
        </Group>
      </Group>
      <DataTable
        label="Tokens"
        list={list}
        columns={columns(all, mayRevoke, setRevoked)}
        rowId={(row) => String(row.id)}
        ordering={ordering}
        onOrdering={setOrdering}
        height="min(50vh, 520px)"
        empty={<Empty cause="There is no such token.">{make}</Empty>}
      />
      {making && <IssueToken onClose={() => setMaking(false)} />}
      {revoked && <Revoke token={revoked} onClose={() => setRevoked(null)} />}
    </section>
  );
}

function columns(all: boolean, mayRevoke: boolean, revoke: (token: Token) => void) {
  return [
    column.accessor("name", { header: "Token", meta: { sort: "name" } }),
    ...(all ? [column.accessor("user", { header: "User", meta: { priority: "low" } })] : []),
    column.display({
      id: "for",
      header: "Good for",
      cell: ({ row: { original: one } }) => describeScope(one),
    }),
    column.accessor("standing", {
      header: "Standing",
      cell: (cell) => (
        <Badge variant="light" color={COLOR[cell.getValue()] ?? "gray"}>
          {cell.getValue()}
        </Badge>
      ),
    }),
    column.accessor("expires_at", {
      header: "Expires",
      meta: { priority: "low" },
      cell: (cell) => <Time at={cell.getValue()} empty="never" />,
    }),
    column.accessor("last_used_at", {
      header: "Last used",
      meta: { priority: "low" },
      cell: (cell) => <Time at={cell.getValue()} empty="never" />,
    }),
    column.accessor("created_at", {
      header: "Made",
      meta: { priority: "low", sort: "created_at" },
      cell: (cell) => <Time at={cell.getValue()} />,
    }),
    column.display({
      id: "actions",
      header: "Actions",
      cell: ({ row: { original: one } }) =>
        mayRevoke && one.standing === "good" ? (
          <Button
            size="compact-xs"
            variant="light"
            color="red"
            aria-label={`Revoke ${one.name}`}
            onClick={() => revoke(one)}
          >
            Revoke
          </Button>
        ) : null,
    }),
  ];
}

function Revoke({ token: listed, onClose }: { token: Token; onClose: () => void }) {
  const queries = useQueryClient();
  const now = useQuery({
    queryKey: [TOKENS, "one", listed.id],
    staleTime: 0,
    queryFn: async () => {
      const path = { id: String(listed.id) };
      return (await api.GET("/api/v1/tokens/{id}/", { params: { path } })).data;
    },
  });
  const token = now.data ?? listed;
  const revoke = useMutation({
    mutationFn: () => api.DELETE("/api/v1/tokens/{id}/", { params: { path: { id: String(token.id) } } }),
    onSuccess: () => {
      notifications.show({ message: `The token ${token.name} is revoked.`, color: "green" });
      onClose();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: [TOKENS] }),
  });
  return (
    <ConfirmDialog
      opened
      title={`Revoke ${token.name}?`}
      action="Revoke the token"
      danger
      busy={revoke.isPending}
      problem={revoke.error}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      Programs that use it are refused from now on. It cannot be undone; make another one instead.
      {token.last_used_at ? (
        <>
          {" "}
          It was last used <Time at={token.last_used_at} />.
        </>
      ) : (
        " It was never used."
      )}
    </ConfirmDialog>
  );
}
