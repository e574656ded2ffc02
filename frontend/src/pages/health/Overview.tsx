import { Alert, Anchor, Badge, Card, Group, Loader, SimpleGrid, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { useLiveRefresh } from "@/live/LiveProvider";
import { askHealth, CHECKS, type Health, MEANS, STATUS } from "./checks";

/** Each part of the platform: how it is, and what to do where it is not well. */
export function Overview() {
  const health = useQuery({
    queryKey: ["health"],
    refetchInterval: 10_000,
    queryFn: ({ signal }) => askHealth(signal),
  });
  useLiveRefresh(["switch", "alarm", "audit"], ["health"]);
  if (health.error) return <ProblemAlert problem={health.error} retry={() => health.refetch()} />;
  if (!health.data) return <Loader role="status" aria-label="Loading" />;
  const status = STATUS[health.data.status] ?? { color: "gray", word: health.data.status };
  return (
    <>
      <Alert
        color={status.color}
        variant="light"
        title={`The platform is ${status.word}`}
        mb="md"
        role="status"
      >
        {MEANS[health.data.status]}
      </Alert>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="sm">
        {inOrder(health.data).map((check) => (
          <CheckCard key={check.name} check={check} />
        ))}
      </SimpleGrid>
    </>
  );
}

function CheckCard({ check }: { check: Health["checks"][number] }) {
  const known = CHECKS[check.name] ?? { title: check.name, remedy: "" };
  const status = STATUS[check.status] ?? { color: "gray", word: check.status };
  return (
    <Card withBorder padding="sm" data-check={check.name} data-status={check.status}>
      <Group justify="space-between" wrap="nowrap">
        <Title order={2} size="h3">
          {known.title}
        </Title>
        <Badge color={status.color} variant="light">
          {status.word}
        </Badge>
      </Group>
      <Text size="sm" mt={4} style={{ overflowWrap: "anywhere" }}>
        {check.detail}
      </Text>
      {check.status !== "ok" && (
        <Text size="sm" mt={4} fw={500}>
          {known.remedy}
        </Text>
      )}
      {known.tab && (
        <Anchor component={Link} to={`/health?tab=${known.tab}`} size="sm" mt={4}>
          More
        </Anchor>
      )}
    </Card>
  );
}

/** What is worst first; the others as they come. */
function inOrder(health: Health) {
  const rank = ["failed", "degraded", "ok"];
  return [...health.checks].sort((a, b) => rank.indexOf(a.status) - rank.indexOf(b.status));
}
