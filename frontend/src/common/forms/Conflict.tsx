import { Alert, Button, Group, Text } from "@mantine/core";

/** A field that was entered here was changed by somebody else meanwhile: what now is there, and whose is to hold. */
export function Conflict({
  field,
  theirs,
  onTheirs,
  onMine,
}: {
  field: string;
  theirs: string;
  onTheirs: () => void;
  onMine: () => void;
}) {
  return (
    <Alert color="orange" variant="light" p="xs" role="alert" data-conflict={field}>
      <Text size="sm">
        Somebody else changed this meanwhile. {field}: now {theirs}.
      </Text>
      <Group gap="xs" mt={6}>
        <Button size="compact-sm" variant="default" onClick={onTheirs} aria-label={`Take theirs: ${field}`}>
          Take theirs
        </Button>
        <Button size="compact-sm" variant="default" onClick={onMine} aria-label={`Keep mine: ${field}`}>
          Keep mine
        </Button>
      </Group>
    </Alert>
  );
}
