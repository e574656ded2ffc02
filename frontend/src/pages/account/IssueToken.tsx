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
import { text as common } from "@/common/text";
import { EXPIRIES, expiryOf, scopesOf } from "./rights";
import { text } from "./text";
import { describeScope, TOKENS } from "./tokens";

type Issued = Schemas["TokenIssued"];
type Wish = Schemas["TokenCreateRequest"];
const KINDS = [
  { value: "scopes", label: text.create.kinds.scopes },
  { value: "publisher", label: text.create.kinds.publisher },
  { value: "subscriber", label: text.create.kinds.subscriber },
];
const FIELDS = ["name", "scopes", "publisher", "subscriber", "expires_at", "user"];

/** Dialog that creates a token and shows it once. An error keeps the input. */
export function IssueToken({ onClose }: { onClose: () => void }) {
  const [issued, setIssued] = useState<Issued | null>(null);
  return (
    <Modal
      opened
      onClose={onClose}
      title={issued ? text.create.issuedTitle : text.create.title}
      closeButtonProps={{ "aria-label": common.close }}
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
          label={text.create.name}
          description={text.create.nameHelp}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={100}
          error={problems.name}
          required
          data-autofocus
        />
        {role !== "viewer" && (
          <SegmentedControl
            aria-label={text.create.kind}
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
            label={text.create.scopes}
            description={text.create.scopesHelp}
            value={scopes}
            onChange={setScopes}
            error={problems.scopes}
          >
            <Stack gap={6} mt={6}>
              {scopesOf(role).map(({ value }) => (
                <Checkbox
                  key={value}
                  value={value}
                  label={value}
                  description={text.create.scopeHelp[value]}
                />
              ))}
            </Stack>
          </Checkbox.Group>
        ) : (
          <ClientChoice kind={kind} value={client} onChange={setClient} error={problems[kind]} />
        )}
        <Select
          label={text.create.expires}
          data={[...EXPIRIES]}
          value={days}
          onChange={(value) => setDays(value ?? days)}
          allowDeselect={false}
          error={problems.expires_at}
        />
        {role === "administrator" && (
          <TextInput
            label={text.create.owner}
            description={text.create.ownerHelp}
            value={user}
            onChange={(event) => setUser(event.currentTarget.value)}
            error={problems.user}
          />
        )}
        <ProblemAlert problem={issue.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={issue.isPending} disabled={!ready}>
            {text.create.create}
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
  const none = kind === "publisher" ? text.create.noPublisher : text.create.noSubscriber;
  const names = known.data?.results.map((row) => row.name) ?? [];
  return (
    <Select
      label={kind === "publisher" ? text.create.publisher : text.create.subscriber}
      description={text.create.clientHelp}
      data={value && !names.includes(value) ? [value, ...names] : names}
      value={value}
      onChange={onChange}
      searchable
      onSearchChange={setQ}
      nothingFoundMessage={known.isFetching ? text.create.searching : none}
      error={error}
      required
    />
  );
}

function IssuedToken({ issued, onClose }: { issued: Issued; onClose: () => void }) {
  return (
    <Stack gap="sm">
      <Alert color="orange" variant="light" title={text.create.copyNow} role="status">
        {text.create.shownOnce}
      </Alert>
      <Text size="sm">{text.create.summary(issued.name, describeScope(issued))}</Text>
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
              {copied ? common.copy.copied : text.create.copy}
            </Button>
          )}
        </CopyButton>
        <Button variant="default" onClick={onClose}>
          {text.create.done}
        </Button>
      </Group>
      <Text size="xs" c="dimmed">
        {text.create.usage} <Code>{text.create.header}</Code>
      </Text>
    </Stack>
  );
}
