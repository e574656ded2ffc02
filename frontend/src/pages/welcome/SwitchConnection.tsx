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
import { useLiveRefresh } from "@/live/LiveProvider";

/** Where switches connect, what to type at them, and which have yet to. */
export function SwitchConnection() {
  useLiveRefresh(["switch"], ["connect"]);
  const connect = useQuery({
    queryKey: ["connect"],
    refetchInterval: 5_000,
    queryFn: async () => (await api.GET("/api/v1/connect/")).data,
  });
  if (connect.error) return <ProblemAlert problem={connect.error} retry={() => connect.refetch()} />;
  if (!connect.data) return <Loader role="status" size="sm" aria-label="Loading" />;
  const { addresses, note, command, switches, connected, waiting, unknown, problem } = connect.data;
  return (
    <Stack gap="sm">
      <Title order={2}>Connect real switches</Title>
      <Text>Point switches at the controller:</Text>
      {addresses.map((address) => (
        <CopiedText key={address} text={address} what="the address" />
      ))}
      {note && (
        <Alert color="orange" variant="light">
          <InlineMarkup text={note} />
        </Alert>
      )}
      <Text>With Open vSwitch, where BRIDGE is the switch's bridge:</Text>
      <CopiedText text={command} what="the command" />
      <Text size="sm" c="dimmed">
        A switch that connects and is not registered is taken in after 20 seconds, under its datapath id; so
        are links between switches. Register hosts below, once there is a switch, or let them register
        themselves in band.{" "}
        <DocsLink to="how-to/connect-switches.md">Documentation: connect real switches</DocsLink>
      </Text>
      {problem && (
        <Alert color="orange" variant="light">
          <InlineMarkup text={problem} />
        </Alert>
      )}
      <Text role="status" fw={500}>
        {switches === 0
          ? "No switch is registered yet"
          : `${connected} of ${switches} registered switches are connected`}
        {unknown.length > 0
          ? `; ${unknown.length} ${unknown.length === 1 ? "is" : "are"} connected and not registered yet:`
          : "."}
      </Text>
      {unknown.length > 0 && (
        <List size="sm">
          {unknown.map(({ dpid, address }) => (
            <List.Item key={dpid}>
              <Code>{dpid}</Code> from {address}
            </List.Item>
          ))}
        </List>
      )}
      {waiting.length > 0 && (
        <>
          <Text fw={500}>Registered, and yet to connect:</Text>
          {waiting.map((one) => (
            <Stack key={one.name} gap={2}>
              <Text size="sm">{one.name}</Text>
              <CopiedText text={one.command} what={`the command for ${one.name}`} />
            </Stack>
          ))}
        </>
      )}
    </Stack>
  );
}

function CopiedText({ text, what }: { text: string; what: string }) {
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <Code block flex={1} style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
        {text}
      </Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? "Copied" : "Copy"}>
            <ActionIcon variant="default" size="lg" aria-label={`Copy ${what}`} onClick={copy}>
              {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </Group>
  );
}
