import { Loader, Stack } from "@mantine/core";
import type { RefObject } from "react";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import type { Network } from "../model/network";
import type { Selection } from "../model/selection";
import { PanelHead } from "../panels/PanelHead";
import { PathAnswer } from "./PathAnswer";
import type { PathQuestion, useExplanation } from "./pathQuestion";
import { QuestionForm } from "./QuestionForm";

/** Whose event with which values; its way hop by hop, who gets it, and who does not and why. */
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
  heading: RefObject<HTMLHeadingElement | null>;
}) {
  return (
    <Stack gap="sm">
      <PanelHead title="Path of an event" heading={heading} onClose={onClose} />
      <QuestionForm question={question} onAsk={onAsk} busy={answer.isFetching} />
      <ProblemAlert problem={answer.error} retry={() => void answer.refetch()} />
      {answer.isFetching && !answer.data && <Loader role="status" size="sm" aria-label="Following it" />}
      {answer.data && (
        <PathAnswer found={answer.data} network={network} step={step} onStep={onStep} onSelect={onSelect} />
      )}
    </Stack>
  );
}
