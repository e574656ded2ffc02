import { Card, Group, SimpleGrid, Stack, Text, ThemeIcon, UnstyledButton } from "@mantine/core";
import { IconFileImport, IconPlayerPlay, IconPlugConnected } from "@tabler/icons-react";
import { useAddress } from "@/common/address";
import { PageHeader } from "@/common/layout/PageHeader";
import { Demo } from "./Demo";
import { ImportFile } from "./ImportFile";
import { Steps } from "./Steps";
import { SwitchConnection } from "./SwitchConnection";

const CHOICES = [
  {
    value: "demo",
    title: "Demo network",
    what: "Eleven switches across the United States, with stock quotes flowing. Ready in a minute; nothing to prepare.",
    icon: IconPlayerPlay,
    Panel: Demo,
  },
  {
    value: "import",
    title: "Import a topology file",
    what: "GraphML, GML, JSON and others: Topology Zoo, networkx, Mininet, SNDlib, Rocketfuel, BRITE.",
    icon: IconFileImport,
    Panel: ImportFile,
  },
  {
    value: "connect",
    title: "Connect real switches",
    what: "OpenFlow 1.3 switches, Open vSwitch included: point them at the controller, and they appear by themselves.",
    icon: IconPlugConnected,
    Panel: SwitchConnection,
  },
] as const;

/** From nothing to the first delivered event: three ways to a network, and what is left to do. */
export function Component() {
  const [choice, setChoice] = useAddress("choice");
  const chosen = CHOICES.find(({ value }) => value === choice);
  return (
    <Stack maw={1100}>
      <PageHeader title="Welcome to Tercast" />
      <Text>
        Publishers say what they will send, subscribers what they want, and switches forward each event to
        those who asked for it. It begins with a network. Which one?
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 3 }} role="group" aria-label="Ways to a network">
        {CHOICES.map(({ value, title, what, icon: Icon }) => (
          <UnstyledButton
            key={value}
            aria-pressed={choice === value}
            onClick={() => setChoice(value)}
            data-choice={value}
          >
            <Card
              withBorder
              h="100%"
              padding="md"
              style={
                choice === value ? { borderColor: "var(--mantine-color-anchor)", borderWidth: 2 } : undefined
              }
            >
              <Group gap="sm" wrap="nowrap" mb={6}>
                <ThemeIcon variant="light" size="lg">
                  <Icon size={20} aria-hidden />
                </ThemeIcon>
                <Text fw={600}>{title}</Text>
              </Group>
              <Text size="sm" c="dimmed">
                {what}
              </Text>
            </Card>
          </UnstyledButton>
        ))}
      </SimpleGrid>
      {chosen && (
        <Card withBorder component="section" aria-label={chosen.title} padding="md">
          <chosen.Panel />
        </Card>
      )}
      <Steps />
    </Stack>
  );
}
