import {
  Badge,
  Button,
  Group,
  Modal,
  PasswordInput,
  Select,
  Stack,
  Switch,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { createColumnHelper } from "@tanstack/react-table";
import { useState } from "react";
import { api, type Schemas } from "@/api/client";
import { useMay } from "@/api/me";
import { asProblem, byField } from "@/api/problems";
import { ME } from "@/api/queries";
import { useAddress } from "@/common/address";
import { Time } from "@/common/formatting/time";
import { Empty } from "@/common/layout/Empty";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { DataTable } from "@/common/tables/DataTable";
import { useList } from "@/common/tables/list";
import { text as common } from "@/common/text";
import { text } from "./text";

type User = Schemas["User"];
type Role = Schemas["UserCreateRequest"]["role"];
const USERS = "/api/v1/users/";
const column = createColumnHelper<User>();

const columns = [
  column.accessor("username", { header: text.users.columns.user, meta: { sort: "username" } }),
  column.accessor("role", { header: text.users.columns.role }),
  column.accessor("active", {
    header: text.users.columns.state,
    cell: ({ row: { original: one } }) => (
      <Badge variant="light" color={one.active ? "green" : "gray"}>
        {stateOf(one)}
      </Badge>
    ),
  }),
  column.accessor("last_login", {
    header: text.users.columns.lastLogin,
    meta: { priority: "low" },
    cell: (cell) => <Time at={cell.getValue()} empty={text.never} />,
  }),
];

function stateOf({ active, has_password }: User): string {
  const { disabled, login, tokens } = text.users.states;
  if (!active) return disabled;
  return has_password ? login : tokens;
}

/** List of users with their roles, for administrators. */
export function Users() {
  const may = useMay("users", "GET");
  return may ? <List /> : null;
}

function List() {
  const mayMake = useMay("users", "POST");
  const [q, setQ] = useAddress("user");
  const [edited, setEdited] = useState<User | "new" | null>(null);
  const search = useDebouncedCallback(setQ, 250);
  const list = useList<User>(USERS, { q }, { name: "users", ordering: "username", limit: 50 });
  return (
    <section aria-label={text.users.label}>
      <Group justify="space-between" mb="xs">
        <Title order={2}>{text.users.label}</Title>
        <Group gap="xs">
          <TextInput
            aria-label={text.users.search}
            placeholder={text.users.searchPlaceholder}
            defaultValue={q}
            onChange={(event) => search(event.currentTarget.value)}
          />
          {mayMake && <Button onClick={() => setEdited("new")}>{text.users.add}</Button>}
        </Group>
      </Group>
      <DataTable
        label={text.users.label}
        list={list}
        columns={columns}
        rowId={(row) => String(row.id)}
        onSelect={mayMake ? setEdited : undefined}
        height="min(50vh, 520px)"
        empty={<Empty cause={text.users.empty} />}
      />
      {edited && <Edit user={edited === "new" ? null : edited} onClose={() => setEdited(null)} />}
    </section>
  );
}

function Edit({ user, onClose }: { user: User | null; onClose: () => void }) {
  const [username, setUsername] = useState(user?.username ?? "");
  const [role, setRole] = useState<string>(user?.role ?? "viewer");
  const [password, setPassword] = useState("");
  const [active, setActive] = useState(user?.active ?? true);
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: async () => {
      if (user === null) {
        const body = { username, role: role as Role, ...(password ? { password } : {}) };
        return (await api.POST("/api/v1/users/", { body })).data;
      }
      const body = {
        ...(role !== user.role ? { role: role as Role } : {}),
        ...(active !== user.active ? { active } : {}),
        ...(password ? { password } : {}),
      };
      const path = { id: String(user.id) };
      return (await api.PATCH("/api/v1/users/{id}/", { params: { path }, body })).data;
    },
    onSuccess: (saved) => {
      notifications.show({ message: text.user.saved(saved?.username ?? username), color: "green" });
      queries.invalidateQueries({ queryKey: [USERS] });
      queries.invalidateQueries({ queryKey: ME });
      onClose();
    },
  });
  const problems = save.error
    ? byField(asProblem(save.error), ["username", "role", "password", "active"])
    : {};
  return (
    <Modal
      opened
      onClose={onClose}
      title={user ? text.user.editTitle(user.username) : text.user.addTitle}
      closeButtonProps={{ "aria-label": common.close }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <Stack gap="sm">
          {user === null && (
            <TextInput
              label={text.user.name}
              value={username}
              onChange={(event) => setUsername(event.currentTarget.value)}
              error={problems.username}
              required
              data-autofocus
            />
          )}
          <Select
            label={text.user.role}
            description={text.roles[role]}
            data={Object.keys(text.roles)}
            value={role}
            onChange={(value) => setRole(value ?? role)}
            allowDeselect={false}
            error={problems.role}
          />
          <PasswordInput
            label={user ? text.user.newPassword : text.user.password}
            description={user ? text.user.newPasswordHelp : text.user.passwordHelp}
            autoComplete="new-password"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={problems.password}
          />
          {user && (
            <Switch
              label={text.user.active}
              description={text.user.activeHelp}
              checked={active}
              onChange={(event) => setActive(event.currentTarget.checked)}
            />
          )}
          {user && !active && user.active && (
            <Text size="sm" role="status">
              {text.user.deactivation(user.username)}
            </Text>
          )}
          <ProblemAlert problem={save.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {common.cancel}
            </Button>
            <Button type="submit" loading={save.isPending} disabled={user === null && username === ""}>
              {user ? text.user.save : text.user.add}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
