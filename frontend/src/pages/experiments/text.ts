import type { Verdict } from "./experiment";

/** Texts of the page "Experiments". */
export const text = {
  title: "Experiments",
  docs: "About the experiments",
  introduction:
    "This page repeats the experiments of three papers with the code of this platform. For each claim of a paper, a rule decides the verdict. All rules were defined before the measurements.",
  empty: "There are no results yet. Run this command in the source tree to measure them:",
  measure: 'make figures ARGS="--update"',
  noMatch: "No figure matches the filters.",
  list: "Figures of the papers",
  filters: { paper: "Paper", verdict: "Verdict", all: "All" },
  columns: { figure: "Figure", title: "Title", verdict: "Verdict", claims: "Claims that hold" },
  held: (held: number, all: number) => `${held} of ${all}`,
  verdicts: {
    holds: "holds",
    differs: "differs",
    undecided: "undecided",
    "not run": "not run",
  } as Record<Verdict, string>,
  figure: (paper: string, number: string) => `${paper}, figure ${number}`,
  claims: "Claims",
  claim: {
    text: "Claim",
    rule: "Rule",
    verdict: "Verdict",
    value: "Measured",
    source: (id: string, source: string) => `${id}, ${/^\d/.test(source) ? `section ${source}` : source}`,
    reason: (reason: string) => `Reason: ${reason}`,
  },
  parameters: "Parameters",
  parameter: { name: "Parameter", value: "Value", source: "Chosen by", reason: "Reason" },
  sources: { paper: "the paper", ours: "Tercast" },
  chart: (title: string, label: string) => (title ? `${title}: ${label}` : label),
  run: "Run",
  runFacts: { size: "Size", seeds: "Seeds", commit: "Commit", cpu: "Processor", load: "Load of the machine" },
  load: (lowest: number, highest: number) => `${lowest} to ${highest}`,
  noisy: "Times were measured under load. Claims about times are undecided.",
  command: "Repeat the measurement",
  commandName: "the command",
  json: "All values as JSON",
} as const;
