import { Button, Container, Stack, Text, Title } from "@mantine/core";
import { Link, useRouteError } from "react-router";
import { asProblem } from "@/api/problems";
import { ProblemAlert } from "@/common/layout/ProblemAlert";

/** What stands where a page failed. */
export function RouteError() {
  const error = useRouteError();
  return (
    <Container py="xl" size="sm">
      <Stack>
        <Title order={1}>This page failed</Title>
        <ProblemAlert problem={asProblem(error)} />
        <Button onClick={() => location.reload()} w="fit-content">
          Load it again
        </Button>
      </Stack>
    </Container>
  );
}

/** An address that leads nowhere. */
export function NotFound() {
  return (
    <Stack align="flex-start">
      <Title order={1}>There is no such page</Title>
      <Text>{location.pathname} leads nowhere. The pages are in the menu.</Text>
      <Button component={Link} to="/network">
        Go to the network
      </Button>
    </Stack>
  );
}
