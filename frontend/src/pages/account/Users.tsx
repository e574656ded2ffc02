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
import { ROLES } from "./rights";

type User = Schemas["User"];
type Role = Schemas["UserCreateRequest"]["role"];
const USERS = "/api/v1/users/";
const column = createColumnHelper<User>();

const columns = [
  column.accessor("username", { header: "User", meta: { sort: "username" } }),
  column.accessor("role", { header: "Role" }),
  column.accessor("active", {
    header: "State",
    cell: ({ row: { original: one } }) => (
      <Badge variant="light" color={one.active ? "green" : "gray"}>
        {!one.active ? "locked out" : one.has_password ? "may log in" : "tokens only"}
      </Badge>
    ),
  }),
  column.accessor("last_login", {
    header: "Last log-in",
    meta: { priority: "low" },
    cell: (cell) => <Time at={cell.getValue()} empty="never" />,
  }),
];

/** Users and their roles; for administrators. */
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
    <section aria-label="Users">
      <Group justify="space-between" mb="xs">
        <Title order={2}>Users</Title>
        <Group gap="xs">
          <TextInput
            aria-label="Search users"
            placeholder="Search"
            defaultValue={q}
            onChange={(event) => search(event.currentTarget.value)}
          />
          {mayMake && <Button onClick={() => setEdited("new")}>Add a user…</Button>}
        </Group>
      </Group>
      <DataTable
        label="Users"
        list={list}
        columns={columns}
        rowId={(row) => String(row.id)}
        onSelect={mayMake ? setEdited : undefined}
        height="min(50vh, 520px)"
        empty={<Empty cause="No user is like that." />}
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
      notifications.show({ message: `${saved?.username} is saved.`, color: "green" });
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
      title={user ? `User ${user.username}` : "Add a user"}
      closeButtonProps={{ "aria-label": "Close" }}
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
              label="User name"
              value={username}
              onChange={(event) => setUsername(event.currentTarget.value)}
              error={problems.username}
              required
              data-autofocus
            />
          )}
          <Select
            label="Role"
            description={ROLES[role]}
            data={Object.keys(ROLES)}
            value={role}
            onChange={(value) => setRole(value ?? role)}
            allowDeselect={false}
            error={problems.role}
          />
          <PasswordInput
            label={user ? "New password" : "Password"}
            description={
              user ? "empty: as it is; a new one ends the user's sessions" : "empty: the user has tokens only"
            }
            autoComplete="new-password"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={problems.password}
          />
          {user && (
            <Switch
              label="May log in, and use tokens"
              checked={active}
              onChange={(event) => setActive(event.currentTarget.checked)}
            />
          )}
          {user && !active && user.active && (
            <Text size="sm" role="status">
              All sessions and tokens of {user.username} end at once.
            </Text>
          )}
          <ProblemAlert problem={save.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending} disabled={user === null && username === ""}>
              {user ? "Save" : "Add the user"}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
