import {
  Alert,
  Button,
  Checkbox,
  Fieldset,
  Group,
  Loader,
  NumberInput,
  Progress,
  Stack,
  Text,
} from "@mantine/core";
import { type FormEvent, useMemo } from "react";
import { useAddress } from "@/common/address";
import { Chart } from "@/common/charts/Chart";
import { Empty } from "@/common/layout/Empty";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { METHODS, type Method, readBudget } from "../figures";
import { text } from "../text";
import { MethodsTable, SwitchesTable } from "./ComparisonTables";
import { bestMethod, useComparison } from "./comparison";

/** Form and results of a comparison of methods. A comparison changes no table. */
export function MethodComparison() {
  const [budgetText, setBudget] = useAddress("budget");
  const [samplingText, setSampling] = useAddress("sampling");
  const [methodsText, setMethods] = useAddress("methods", METHODS.join(","));
  const methods = METHODS.filter((one) => methodsText.split(",").includes(one));
  const comparison = useComparison();
  const { now, waiting, answers, errors } = comparison;
  const asked = METHODS.filter((one) => answers[one] || errors[one] || one === now || waiting.includes(one));
  const done = asked.length - waiting.length - (now ? 1 : 0);
  const sampling = samplingText === "" ? undefined : Number(samplingText);
  const wrong = sampling !== undefined && !(sampling > 0 && sampling <= 1);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (wrong || methods.length === 0) return;
    const budget = readBudget(budgetText);
    comparison.begin(
      { ...(budget === null ? {} : { budget }), ...(sampling === undefined ? {} : { sampling }) },
      methods,
    );
  };

  return (
    <Stack>
      <form onSubmit={submit}>
        <Group align="end" gap="md">
          <Fieldset legend={text.compare.methods} px="sm" py="xs">
            <Group gap="md">
              {METHODS.map((one) => (
                <Checkbox
                  key={one}
                  label={one}
                  checked={methods.includes(one)}
                  title={text.methods[one]}
                  onChange={({ currentTarget }) =>
                    setMethods(
                      METHODS.filter((each) =>
                        each === one ? currentTarget.checked : methods.includes(each),
                      ).join(","),
                    )
                  }
                />
              ))}
            </Group>
          </Fieldset>
          <NumberInput
            label={text.compare.budget}
            placeholder={text.compare.budgetPlaceholder}
            value={budgetText}
            onChange={(value) => setBudget(String(value))}
            min={0}
            max={10_000_000}
            allowDecimal={false}
            allowNegative={false}
            w={210}
          />
          <NumberInput
            label={text.compare.sampling}
            placeholder={text.compare.samplingPlaceholder}
            value={samplingText}
            onChange={(value) => setSampling(String(value))}
            min={0}
            max={1}
            step={0.1}
            decimalScale={3}
            error={wrong ? text.samplingRule : undefined}
            w={210}
          />
          {now ? (
            <Button variant="default" onClick={comparison.cancel}>
              {text.compare.stop}
            </Button>
          ) : (
            <Button type="submit" disabled={methods.length === 0 || wrong}>
              {text.compare.start}
            </Button>
          )}
        </Group>
      </form>
      {now && (
        <Stack gap={4} role="status">
          <Group gap="xs">
            <Loader size="xs" aria-hidden />
            <Text size="sm">{text.compare.calculating(now, done + 1, asked.length)}</Text>
          </Group>
          <Progress value={(100 * done) / asked.length} aria-label={text.compare.progress} animated />
        </Stack>
      )}
      {METHODS.filter((one) => errors[one] !== undefined).map((one) => (
        <div key={one}>
          <Text size="sm" fw={600} mb={4}>
            {text.compare.failed(one)}
          </Text>
          <ProblemAlert problem={errors[one]} retry={now ? undefined : () => comparison.again(one)} />
        </div>
      ))}
      {Object.values(answers).some(Boolean) ? (
        <ComparisonView answers={answers} busy={now !== null} terms={comparison.terms} />
      ) : (
        !now && asked.length === 0 && <Empty cause={text.compare.none} />
      )}
    </Stack>
  );
}

function ComparisonView({
  answers,
  busy,
  terms,
}: {
  answers: ReturnType<typeof useComparison>["answers"];
  busy: boolean;
  terms: { budget?: number };
}) {
  const shown = METHODS.filter((one) => answers[one]);
  const cheapest = bestMethod(answers);
  const option = useMemo(() => chartOption(shown, answers), [answers, shown]);
  const judged = shown.some((one) => answers[one]?.needless.after !== null);
  return (
    <Stack>
      {!judged && (
        <Alert color="orange" title={text.compare.noSamples}>
          {text.compare.noSamplesHelp}
        </Alert>
      )}
      <Group align="start" gap="lg">
        <div style={{ flex: "2 1 420px", minWidth: 0 }}>
          <MethodsTable answers={answers} cheapest={cheapest} busy={busy} asIs={terms.budget === undefined} />
        </div>
        {judged && (
          <div style={{ flex: "1 1 300px", minWidth: 0 }}>
            <Chart label={text.compare.chart} option={option} height={220} />
          </div>
        )}
      </Group>
      <SwitchesTable answers={answers} />
    </Stack>
  );
}

function chartOption(shown: readonly Method[], answers: ReturnType<typeof useComparison>["answers"]) {
  const first = shown[0] ? answers[shown[0]] : undefined;
  const bar = (name: string, of: "needless" | "unwanted") => ({
    type: "bar",
    name,
    data: [first?.[of].before, ...shown.map((one) => answers[one]?.[of].after)],
  });
  return {
    legend: { top: 0 },
    xAxis: { type: "category", data: [text.compare.now, ...shown] },
    yAxis: { type: "value", name: text.compare.perEvent },
    grid: { left: 8, right: 8, top: 52, bottom: 8, containLabel: true },
    series: [
      bar(text.compare.redundantSeries, "needless"),
      bar(text.compare.falsePositivesSeries, "unwanted"),
    ],
  };
}
