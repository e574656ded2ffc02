import { Card, Group, SimpleGrid, Stack, Text, ThemeIcon, UnstyledButton } from "@mantine/core";
import { IconFileImport, IconPlayerPlay, IconPlugConnected } from "@tabler/icons-react";
import { useAddress } from "@/common/address";
import { PageHeader } from "@/common/layout/PageHeader";
import { Demo } from "./Demo";
import { ImportFile } from "./ImportFile";
import { Steps } from "./Steps";
import { SwitchConnection } from "./SwitchConnection";
import { text } from "./text";

const CHOICES = [
  { value: "demo", icon: IconPlayerPlay, Panel: Demo },
  { value: "import", icon: IconFileImport, Panel: ImportFile },
  { value: "connect", icon: IconPlugConnected, Panel: SwitchConnection },
] as const;

/** Page from an empty installation to the first delivered event: three networks to choose from, and the next steps. */
export function Component() {
  const [choice, setChoice] = useAddress("choice");
  const chosen = CHOICES.find(({ value }) => value === choice);
  return (
    <Stack maw={1100}>
      <PageHeader title={text.title} />
      <Text>{text.introduction}</Text>
      <SimpleGrid cols={{ base: 1, sm: 3 }} role="group" aria-label={text.choices.label}>
        {CHOICES.map(({ value, icon: Icon }) => (
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
                <Text fw={600}>{text.choices[value].title}</Text>
              </Group>
              <Text size="sm" c="dimmed">
                {text.choices[value].about}
              </Text>
            </Card>
          </UnstyledButton>
        ))}
      </SimpleGrid>
      {chosen && (
        <Card withBorder component="section" aria-label={text.choices[chosen.value].title} padding="md">
          <chosen.Panel />
        </Card>
      )}
      <Steps />
    </Stack>
  );
}
