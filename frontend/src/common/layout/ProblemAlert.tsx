import { Alert, Button, Code, List, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { asProblem, type FieldError } from "@/api/problems";
import { InlineMarkup } from "./InlineMarkup";

const SHOWN = 50;
const LISTED = /; (see|the first \d+ are listed in) `errors`\.$/; // for programs: here they stand below

/** What failed, every single error of it, and what to do. Nothing when there is no error. */
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
          You are no longer logged in; what you entered is still here.{" "}
          <a href="/login/" target="_blank" rel="noreferrer">
            Log in in another tab
          </a>{" "}
          and try again.
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
      {details.length > SHOWN && <Text size="sm">and {details.length - SHOWN} more</Text>}
      {problem.retryAfter && <Text size="sm">Try again in {problem.retryAfter} s.</Text>}
      {problem.requestId && (
        <Text size="xs" c="dimmed" mt="xs">
          In the log under <Code>{problem.requestId}</Code>
        </Text>
      )}
      {retry && (
        <Button size="xs" mt="xs" variant="light" color="red" onClick={retry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}

function place({ line, index, pointer, parameter }: FieldError) {
  const where = [
    line !== undefined ? `line ${line}` : index !== undefined ? `item ${index + 1}` : "",
    pointer && pointer !== "/" ? pointer.replace(/^\//, "").replaceAll("/", " › ") : (parameter ?? ""),
  ].filter(Boolean);
  return where.length > 0 ? <Code>{where.join(", ")}</Code> : null;
}
