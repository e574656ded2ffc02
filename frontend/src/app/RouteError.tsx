import { Button, Container, Stack, Text, Title } from "@mantine/core";
import { Link, useRouteError } from "react-router";
import { asProblem } from "@/api/problems";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { text } from "./text";

/** Replacement for a page that failed. */
export function RouteError() {
  const error = useRouteError();
  return (
    <Container py="xl" size="sm">
      <Stack>
        <Title order={1}>{text.failedPage.title}</Title>
        <ProblemAlert problem={asProblem(error)} />
        <Button onClick={() => location.reload()} w="fit-content">
          {text.failedPage.reload}
        </Button>
      </Stack>
    </Container>
  );
}

/** Page for an unknown address. */
export function NotFound() {
  return (
    <Stack align="flex-start">
      <Title order={1}>{text.notFound.title}</Title>
      <Text>{text.notFound.detail(location.pathname)}</Text>
      <Button component={Link} to="/network">
        {text.notFound.network}
      </Button>
    </Stack>
  );
}
