import {
  Alert,
  Button,
  Checkbox,
  Code,
  CopyButton,
  Group,
  Modal,
  SegmentedControl,
  Select,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, type Schemas } from "@/api/client";
import { useMe } from "@/api/me";
import { asProblem, byField } from "@/api/problems";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { readPage } from "@/common/tables/list";
import { EXPIRIES, expiryOf, scopesOf } from "./rights";
import { describeScope, TOKENS } from "./tokens";

type Issued = Schemas["TokenIssued"];
type Wish = Schemas["TokenCreateRequest"];
const KINDS = [
  { value: "scopes", label: "A program" },
  { value: "publisher", label: "One publisher" },
  { value: "subscriber", label: "One subscriber" },
];
const FIELDS = ["name", "scopes", "publisher", "subscriber", "expires_at", "user"];

/** Makes a token; its text is shown once. What was entered stays on any error. */
export function IssueToken({ onClose }: { onClose: () => void }) {
  const [issued, setIssued] = useState<Issued | null>(null);
  return (
    <Modal
      opened
      onClose={onClose}
      title={issued ? "The new token" : "Make a token"}
      closeButtonProps={{ "aria-label": "Close" }}
      closeOnClickOutside={issued === null}
    >
      {issued ? (
        <IssuedToken issued={issued} onClose={onClose} />
      ) : (
        <Form onIssued={setIssued} onClose={onClose} />
      )}
    </Modal>
  );
}

function Form({ onIssued, onClose }: { onIssued: (issued: Issued) => void; onClose: () => void }) {
  const { data: me } = useMe();
  const role = me?.role ?? "viewer";
  const [name, setName] = useState("");
  const [kind, setKind] = useState("scopes");
  const [scopes, setScopes] = useState<string[]>(["read"]);
  const [client, setClient] = useState<string | null>(null);
  const [days, setDays] = useState("90");
  const [user, setUser] = useState("");
  const queries = useQueryClient();
  const issue = useMutation({
    mutationFn: async () => {
      const body: Wish = { name, expires_at: expiryOf(days, Date.now()) };
      if (kind === "scopes") body.scopes = scopes as NonNullable<Wish["scopes"]>;
      else if (client) body[kind as "publisher" | "subscriber"] = client;
      if (user) body.user = user;
      return (await api.POST("/api/v1/tokens/", { body })).data;
    },
    onSuccess: (made) => {
      queries.invalidateQueries({ queryKey: [TOKENS] });
      if (made) onIssued(made);
    },
  });
  const problems = issue.error ? byField(asProblem(issue.error), FIELDS) : {};
  const ready = name !== "" && (kind === "scopes" ? scopes.length > 0 : client !== null);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        issue.mutate();
      }}
    >
      <Stack gap="sm">
        <TextInput
          label="What it is for"
          description="a name to know it by, such as the program and its machine"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={100}
          error={problems.name}
          required
          data-autofocus
        />
        {role !== "viewer" && (
          <SegmentedControl
            aria-label="Who uses it"
            data={KINDS}
            value={kind}
            onChange={(value) => {
              setKind(value);
              setClient(null);
            }}
          />
        )}
        {kind === "scopes" ? (
          <Checkbox.Group
            label="Scopes"
            description="what it is good for; never for more than your role"
            value={scopes}
            onChange={setScopes}
            error={problems.scopes}
          >
            <Stack gap={6} mt={6}>
              {scopesOf(role).map(({ value, label, what }) => (
                <Checkbox key={value} value={value} label={label} description={what} />
              ))}
            </Stack>
          </Checkbox.Group>
        ) : (
          <ClientChoice kind={kind} value={client} onChange={setClient} error={problems[kind]} />
        )}
        <Select
          label="It expires"
          data={[...EXPIRIES]}
          value={days}
          onChange={(value) => setDays(value ?? days)}
          allowDeselect={false}
          error={problems.expires_at}
        />
        {role === "administrator" && (
          <TextInput
            label="Of another user"
            description="empty: yours"
            value={user}
            onChange={(event) => setUser(event.currentTarget.value)}
            error={problems.user}
          />
        )}
        <ProblemAlert problem={issue.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={issue.isPending} disabled={!ready}>
            Make the token
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function ClientChoice({
  kind,
  value,
  onChange,
  error,
}: {
  kind: string;
  value: string | null;
  onChange: (value: string | null) => void;
  error?: string;
}) {
  const [q, setQ] = useState("");
  const path = `/api/v1/${kind}s/`;
  const known = useQuery({
    queryKey: [path, "names", q],
    queryFn: ({ signal }) => readPage<{ name: string }>(path, { limit: 50, q }, signal),
    placeholderData: (before) => before,
  });
  const names = known.data?.results.map((row) => row.name) ?? [];
  return (
    <Select
      label={kind === "publisher" ? "Publisher" : "Subscriber"}
      description="it may announce, withdraw and report for this one, and nothing else"
      data={value && !names.includes(value) ? [value, ...names] : names}
      value={value}
      onChange={onChange}
      searchable
      onSearchChange={setQ}
      nothingFoundMessage={known.isFetching ? "…" : `There is no such ${kind}.`}
      error={error}
      required
    />
  );
}

function IssuedToken({ issued, onClose }: { issued: Issued; onClose: () => void }) {
  return (
    <Stack gap="sm">
      <Alert color="orange" variant="light" title="Copy it now" role="status">
        It is shown this once, and kept nowhere.
      </Alert>
      <Text size="sm">
        {issued.name}: {describeScope(issued)}
      </Text>
      <Code block data-token style={{ overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}>
        {issued.token}
      </Code>
      <Group justify="space-between">
        <CopyButton value={issued.token}>
          {({ copied, copy }) => (
            <Button
              data-autofocus
              onClick={copy}
              leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
            >
              {copied ? "Copied" : "Copy the token"}
            </Button>
          )}
        </CopyButton>
        <Button variant="default" onClick={onClose}>
          I have it
        </Button>
      </Group>
      <Text size="xs" c="dimmed">
        Programs send it as <Code>Authorization: Bearer …</Code>.
      </Text>
    </Stack>
  );
}
