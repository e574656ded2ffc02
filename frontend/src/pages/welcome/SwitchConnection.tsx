import {
  ActionIcon,
  Alert,
  Code,
  CopyButton,
  Group,
  List,
  Loader,
  Stack,
  Text,
  Title,
  Tooltip,
} from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { api } from "@/api/client";
import { DocsLink } from "@/common/documentation/DocsLink";
import { InlineMarkup } from "@/common/layout/InlineMarkup";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { text as common } from "@/common/text";
import { useLiveRefresh } from "@/live/LiveProvider";
import { text } from "./text";

/** Address and commands to connect switches, and the switches that are not connected. */
export function SwitchConnection() {
  useLiveRefresh(["switch"], ["connect"]);
  const connect = useQuery({
    queryKey: ["connect"],
    refetchInterval: 5_000,
    queryFn: async () => (await api.GET("/api/v1/connect/")).data,
  });
  if (connect.error) return <ProblemAlert problem={connect.error} retry={() => connect.refetch()} />;
  if (!connect.data) return <Loader role="status" size="sm" aria-label={common.loading} />;
  const { addresses, note, command, switches, connected, waiting, unknown, problem } = connect.data;
  return (
    <Stack gap="sm">
      <Title order={2}>{text.connect.title}</Title>
      <Text>{text.connect.address}</Text>
      {addresses.map((address) => (
        <CommandLine key={address} value={address} what={text.connect.addressObject} />
      ))}
      {note && (
        <Alert color="orange" variant="light">
          <InlineMarkup text={note} />
        </Alert>
      )}
      <Text>{text.connect.command}</Text>
      <CommandLine value={command} what={text.connect.commandObject} />
      <Text size="sm" c="dimmed">
        {text.connect.discovery} <DocsLink to="how-to/connect-switches.md">{text.connect.docs}</DocsLink>
      </Text>
      {problem && (
        <Alert color="orange" variant="light">
          <InlineMarkup text={problem} />
        </Alert>
      )}
      <Text role="status" fw={500}>
        {switches === 0 ? text.connect.noSwitch : text.connect.connected(connected, switches)}{" "}
        {unknown.length > 0 && text.connect.unknown(unknown.length)}
      </Text>
      {unknown.length > 0 && (
        <List size="sm">
          {unknown.map(({ dpid, address }) => (
            <List.Item key={dpid}>
              <Code>{dpid}</Code> {text.connect.from(address)}
            </List.Item>
          ))}
        </List>
      )}
      {waiting.length > 0 && (
        <>
          <Text fw={500}>{text.connect.waiting}</Text>
          {waiting.map((one) => (
            <Stack key={one.name} gap={2}>
              <Text size="sm">{one.name}</Text>
              <CommandLine value={one.command} what={text.connect.commandOf(one.name)} />
            </Stack>
          ))}
        </>
      )}
    </Stack>
  );
}

function CommandLine({ value, what }: { value: string; what: string }) {
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <Code block flex={1} style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
        {value}
      </Code>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? common.copy.copied : common.copy.copy}>
            <ActionIcon variant="default" size="lg" aria-label={common.copy.object(what)} onClick={copy}>
              {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </Group>
  );
}
