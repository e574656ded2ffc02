import { Alert, Anchor, Badge, Card, Group, Loader, SimpleGrid, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { InlineMarkup } from "@/common/layout/InlineMarkup";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { text as common } from "@/common/text";
import { useLiveRefresh } from "@/live/LiveProvider";
import { askHealth, CHECK_TABS, type Health, STATUS_COLOR } from "./checks";
import { text } from "./text";

/** Tab with the state of each part of the platform, and remedies. */
export function Overview() {
  const health = useQuery({
    queryKey: ["health"],
    refetchInterval: 10_000,
    queryFn: ({ signal }) => askHealth(signal),
  });
  useLiveRefresh(["switch", "alarm", "audit"], ["health"]);
  if (health.error) return <ProblemAlert problem={health.error} retry={() => health.refetch()} />;
  if (!health.data) return <Loader role="status" aria-label={common.loading} />;
  return (
    <>
      <Alert
        color={STATUS_COLOR[health.data.status] ?? "gray"}
        variant="light"
        title={text.overview.titles[health.data.status] ?? health.data.status}
        mb="md"
        role="status"
      >
        {text.overview.meanings[health.data.status]}
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
  const known = text.checks[check.name] ?? { title: check.name, remedy: "" };
  const tab = CHECK_TABS[check.name];
  return (
    <Card withBorder padding="sm" data-check={check.name} data-status={check.status}>
      <Group justify="space-between" wrap="nowrap">
        <Title order={2} size="h3">
          {known.title}
        </Title>
        <Badge color={STATUS_COLOR[check.status] ?? "gray"} variant="light">
          {text.overview.states[check.status] ?? check.status}
        </Badge>
      </Group>
      <Text size="sm" mt={4} style={{ overflowWrap: "anywhere" }}>
        {check.detail}
      </Text>
      {check.status !== "ok" && (
        <Text size="sm" mt={4} fw={500}>
          <InlineMarkup text={known.remedy} />
        </Text>
      )}
      {tab && (
        <Anchor component={Link} to={`/health?tab=${tab}`} size="sm" mt={4}>
          {text.overview.more}
        </Anchor>
      )}
    </Card>
  );
}

/** Checks with the worst state first. */
function inOrder(health: Health) {
  const rank = ["failed", "degraded", "ok"];
  return [...health.checks].sort((a, b) => rank.indexOf(a.status) - rank.indexOf(b.status));
}
