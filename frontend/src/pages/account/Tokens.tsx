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
import { text } from "./text";
import { describeScope, TOKENS, type Token } from "./tokens";

const COLOR: Record<string, string> = { good: "green", expired: "gray", revoked: "red" };
const column = createColumnHelper<Token>();

/** List of the user's access tokens; for administrators, of all tokens. */
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
  const make = mayMake && <Button onClick={() => setMaking(true)}>{text.tokens.create}</Button>;
  return (
    <section aria-label={text.tokens.label}>
      <Group justify="space-between" mb="xs">
        <div>
          <Title order={2}>{all ? text.tokens.all : text.tokens.own}</Title>
          <Text size="sm" c="dimmed">
            {text.tokens.about}
          </Text>
        </div>
        <Group gap="xs">
          <Select
            aria-label={text.tokens.state}
            placeholder={text.tokens.anyState}
            clearable
            w={130}
            data={Object.entries(text.tokens.states).map(([value, label]) => ({ value, label }))}
            value={standing || null}
            onChange={setStanding}
          />
          {make}
        </Group>
      </Group>
      <DataTable
        label={text.tokens.label}
        list={list}
        columns={columns(all, mayRevoke, setRevoked)}
        rowId={(row) => String(row.id)}
        ordering={ordering}
        onOrdering={setOrdering}
        height="min(50vh, 520px)"
        empty={<Empty cause={text.tokens.empty}>{make}</Empty>}
      />
      {making && <IssueToken onClose={() => setMaking(false)} />}
      {revoked && <Revoke token={revoked} onClose={() => setRevoked(null)} />}
    </section>
  );
}

function columns(all: boolean, mayRevoke: boolean, revoke: (token: Token) => void) {
  return [
    column.accessor("name", { header: text.tokens.columns.name, meta: { sort: "name" } }),
    ...(all
      ? [column.accessor("user", { header: text.tokens.columns.user, meta: { priority: "low" } })]
      : []),
    column.display({
      id: "for",
      header: text.tokens.columns.scopes,
      cell: ({ row: { original: one } }) => describeScope(one),
    }),
    column.accessor("standing", {
      header: text.tokens.columns.state,
      cell: (cell) => (
        <Badge variant="light" color={COLOR[cell.getValue()] ?? "gray"}>
          {text.tokens.states[cell.getValue()] ?? cell.getValue()}
        </Badge>
      ),
    }),
    column.accessor("expires_at", {
      header: text.tokens.columns.expires,
      meta: { priority: "low" },
      cell: (cell) => <Time at={cell.getValue()} empty={text.never} />,
    }),
    column.accessor("last_used_at", {
      header: text.tokens.columns.lastUsed,
      meta: { priority: "low" },
      cell: (cell) => <Time at={cell.getValue()} empty={text.never} />,
    }),
    column.accessor("created_at", {
      header: text.tokens.columns.created,
      meta: { priority: "low", sort: "created_at" },
      cell: (cell) => <Time at={cell.getValue()} />,
    }),
    column.display({
      id: "actions",
      header: text.tokens.columns.actions,
      cell: ({ row: { original: one } }) =>
        mayRevoke && one.standing === "good" ? (
          <Button
            size="compact-xs"
            variant="light"
            color="red"
            aria-label={text.tokens.revokeToken(one.name)}
            onClick={() => revoke(one)}
          >
            {text.tokens.revoke}
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
      notifications.show({ message: text.revoke.revoked(token.name), color: "green" });
      onClose();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: [TOKENS] }),
  });
  return (
    <ConfirmDialog
      opened
      title={text.revoke.title(token.name)}
      action={text.revoke.action}
      danger
      busy={revoke.isPending}
      problem={revoke.error}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      {text.revoke.effect}{" "}
      {token.last_used_at ? (
        <>
          {text.revoke.lastUsed} <Time at={token.last_used_at} />.
        </>
      ) : (
        text.revoke.unused
      )}
    </ConfirmDialog>
  );
}
