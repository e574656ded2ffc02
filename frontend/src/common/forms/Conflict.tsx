import { Alert, Button, Group, Text } from "@mantine/core";
import { text } from "@/common/text";

/** Conflict of a field that this user and another user changed: shows the current value and asks which value to use. */
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
      <Text size="sm">{text.conflict.changed(field, theirs)}</Text>
      <Group gap="xs" mt={6}>
        <Button
          size="compact-sm"
          variant="default"
          onClick={onTheirs}
          aria-label={text.conflict.takeTheirsOf(field)}
        >
          {text.conflict.takeTheirs}
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          onClick={onMine}
          aria-label={text.conflict.keepMineOf(field)}
        >
          {text.conflict.keepMine}
        </Button>
      </Group>
    </Alert>
  );
}
