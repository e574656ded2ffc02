import { Loader, Stack } from "@mantine/core";
import type { Ref } from "react";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import type { Network } from "../model/network";
import type { Selection } from "../model/selection";
import { PanelHead } from "../panels/PanelHead";
import { text } from "../text";
import { PathAnswer } from "./PathAnswer";
import type { PathQuestion, useExplanation } from "./pathQuestion";
import { QuestionForm } from "./QuestionForm";

/** Form for an event, and its path: hop by hop, the hosts that receive it, and the hosts that do not. */
export function EventPath({
  network,
  question,
  onAsk,
  answer,
  step,
  onStep,
  onSelect,
  onClose,
  heading,
}: {
  network: Network;
  question: PathQuestion;
  onAsk: (question: PathQuestion) => void;
  answer: ReturnType<typeof useExplanation>;
  step: number | null;
  onStep: (step: number) => void;
  onSelect: (selection: Selection) => void;
  onClose: () => void;
  heading: Ref<HTMLHeadingElement>;
}) {
  return (
    <Stack gap="sm">
      <PanelHead title={text.traceEvent} heading={heading} onClose={onClose} />
      <QuestionForm question={question} onAsk={onAsk} busy={answer.isFetching} />
      <ProblemAlert problem={answer.error} retry={() => void answer.refetch()} />
      {answer.isFetching && !answer.data && <Loader role="status" size="sm" aria-label={text.path.tracing} />}
      {answer.data && (
        <PathAnswer found={answer.data} network={network} step={step} onStep={onStep} onSelect={onSelect} />
      )}
    </Stack>
  );
}
