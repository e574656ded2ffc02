import { Alert, Button, Code, List, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { asProblem, type FieldError } from "@/api/problems";
import { text } from "@/common/text";
import { InlineMarkup } from "./InlineMarkup";

const SHOWN = 50;
const LISTED = /; (see|the first \d+ are listed in) `errors`\.$/; // a hint for API clients; the dashboard lists the errors

/** Error with all its details and remedies. Renders nothing without an error. */
export function ProblemAlert({ problem: raw, retry }: { problem: unknown; retry?: () => void }) {
  if (!raw) return null;
  const problem =
    typeof raw === "object" && "errors" in raw && !(raw instanceof Error) ? asProblem(raw) : asProblem(raw);
  const details = problem.errors.filter(
    (error) => problem.errors.length > 1 || !problem.detail.includes(error.detail),
  );
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      title={problem.title}
      role="alert"
    >
      <Text size="sm">
        <InlineMarkup text={problem.detail.replace(LISTED, ":")} />
      </Text>
      {problem.status === 401 && (
        <Text size="sm">
          {text.problem.loggedOut}{" "}
          <a href="/login/" target="_blank" rel="noreferrer">
            {text.problem.logIn}
          </a>
          . {text.problem.thenRetry}
        </Text>
      )}
      {details.length > 0 && (
        <List size="sm" mt="xs">
          {details.slice(0, SHOWN).map((error) => (
            <List.Item key={`${error.index}${error.pointer}${error.parameter}${error.code}${error.detail}`}>
              {place(error)} <InlineMarkup text={error.detail} />
            </List.Item>
          ))}
        </List>
      )}
      {details.length > SHOWN && <Text size="sm">{text.problem.more(details.length - SHOWN)}</Text>}
      {problem.retryAfter && <Text size="sm">{text.problem.retryAfter(problem.retryAfter)}</Text>}
      {problem.requestId && (
        <Text size="xs" c="dimmed" mt="xs">
          {text.problem.callId} <Code>{problem.requestId}</Code>
        </Text>
      )}
      {retry && (
        <Button size="xs" mt="xs" variant="light" color="red" onClick={retry}>
          {text.tryAgain}
        </Button>
      )}
    </Alert>
  );
}

function place({ line, index, pointer, parameter }: FieldError) {
  const where = [
    line !== undefined ? text.problem.line(line) : index !== undefined ? text.problem.item(index + 1) : "",
    pointer && pointer !== "/" ? pointer.replace(/^\//, "").replaceAll("/", " › ") : (parameter ?? ""),
  ].filter(Boolean);
  return where.length > 0 ? <Code>{where.join(", ")}</Code> : null;
}
