import { text } from "./text";

/** Format a share as percent with two significant digits or more: 0 %, 0.03 %, 4.2 %, 1,300 %. */
export function formatPercent(share: number | null | undefined): string {
  if (share === null || share === undefined) return "–";
  const value = share * 100;
  if (value >= 1e9) return text.veryLarge;
  const digits = value === 0 || value >= 100 ? 0 : value >= 1 ? 1 : 2;
  if (value > 0 && value < 0.005) return text.verySmall;
  return `${value.toLocaleString(undefined, { maximumFractionDigits: digits })} %`;
}

/** Format an excess: 340 %, or ≈ 340 % (± 9 %) if the volume of the filter is an estimate with this error. */
export function formatExcess(
  excess: number | null | undefined,
  volumeError: number | null | undefined,
): string {
  if (excess === null || excess === undefined || !volumeError) return formatPercent(excess);
  return text.estimate(formatPercent(excess), formatPercent(volumeError * (1 + excess)));
}

/** Format a difference with its sign: +3, −2, 0. */
export function formatDifference(difference: number): string {
  if (difference === 0) return "0";
  return `${difference > 0 ? "+" : "−"}${Math.abs(difference).toLocaleString()}`;
}

/** A number with its noun: "1 host", "2 hosts". */
export function formatQuantity(n: number, noun: string, many = `${noun}s`): string {
  return `${n.toLocaleString()} ${n === 1 ? noun : many}`;
}
