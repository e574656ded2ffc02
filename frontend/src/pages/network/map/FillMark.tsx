import { useComputedColorScheme } from "@mantine/core";
import { fill, type NetSwitch, switchState } from "../model/network";
import { type Fill, fillClass, PALETTES } from "../model/scales";

/** Symbol of a switch: shape and colour show the fill of its table, a dashed line that it is not connected or down. */
export function FillMark({ row }: { row: NetSwitch }) {
  const share = fill(row);
  return <ClassMark kind={fillClass(share)} share={share ?? 0} state={switchState(row)} />;
}

/** Symbol of a class of fill. The legend uses it too. */
export function ClassMark({
  kind,
  share,
  state = "connected",
}: {
  kind: Fill;
  share: number;
  state?: string;
}) {
  const palette = PALETTES[useComputedColorScheme("light")];
  const color = state === "down" ? palette.down : palette.fill[kind];
  const line = {
    fill: state === "connected" ? palette.ground : palette.faint,
    stroke: color,
    strokeWidth: 1.8,
    strokeDasharray: state === "connected" ? undefined : "2.5 2",
  };
  return (
    <svg width={18} height={18} viewBox="-9 -9 18 18" aria-hidden="true" style={{ flex: "none" }}>
      {kind === "full" ? (
        <path d="M0-8 8 0 0 8-8 0Z" {...line} />
      ) : kind === "high" ? (
        <path d="M-7.5 0-3.8-6.5H3.8L7.5 0 3.8 6.5H-3.8Z" {...line} />
      ) : (
        <circle r={7} {...line} />
      )}
      {state !== "down" && share > 0 && <path d={slice(Math.min(share, 1), 5)} fill={color} />}
    </svg>
  );
}

/** Path of a slice of a pie, clockwise from the top. */
function slice(share: number, r: number): string {
  if (share >= 1) return `M0-${r}A${r} ${r} 0 1 1 0 ${r}A${r} ${r} 0 1 1 0-${r}Z`;
  const angle = 2 * Math.PI * share;
  const [x, y] = [r * Math.sin(angle), -r * Math.cos(angle)];
  return `M0 0V-${r}A${r} ${r} 0 ${share > 0.5 ? 1 : 0} 1 ${x.toFixed(2)} ${y.toFixed(2)}Z`;
}
