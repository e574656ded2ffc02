/** A share as percent, with as many digits as tell something: 0 %, 0.03 %, 4.2 %, 1,300 %. */
export function formatPercent(share: number | null | undefined): string {
  if (share === null || share === undefined) return "–";
  const value = share * 100;
  if (value >= 1e9) return "beyond 10⁹ %";
  const digits = value === 0 || value >= 100 ? 0 : value >= 1 ? 1 : 2;
  if (value > 0 && value < 0.005) return "below 0.01 %";
  return `${value.toLocaleString(undefined, { maximumFractionDigits: digits })} %`;
}

/** A difference with its sign: +3, −2, 0. */
export function formatDifference(difference: number): string {
  if (difference === 0) return "0";
  return `${difference > 0 ? "+" : "−"}${Math.abs(difference).toLocaleString()}`;
}
