// Scales of the drawing: classes of fill and load, colours and widths.

import { text } from "../text";
import { fill, type Load, type NetSwitch, switchState } from "./network";

export type Fill = "unlimited" | "low" | "half" | "high" | "full";

/** Class of a table's fill; the limits are 50 %, 80 % and 100 %. */
export function fillClass(share: number | null): Fill {
  if (share === null) return "unlimited";
  if (share >= 1) return "full";
  if (share >= 0.8) return "high";
  return share >= 0.5 ? "half" : "low";
}

/** Fill as text: "unlimited" or percent, rounded down, so that only a full table has 100 %. */
export function fillText(share: number | null): string {
  if (share === null) return text.unlimited;
  const percent = Math.floor(100 * share + 1e-9);
  return share > 0 && percent === 0 ? "<1 %" : `${percent} %`;
}

/** The highest fill of some switches; null if none has a limit. */
export function fullest(rows: readonly NetSwitch[]): number | null {
  return rows.reduce<number | null>((most, row) => {
    const share = fill(row);
    return share !== null && (most === null || share > most) ? share : most;
  }, null);
}

export const LOAD_STEPS = [0, 1e-9, 10, 100, 1_000] as const; // packets per second
export const LOAD_WIDTHS = [1.5, 2.5, 4, 6, 8.5] as const;

/** The level of a link's load, 0 to 4; unknown is 0. */
export function loadLevel(load: Load | null): number {
  return LOAD_STEPS.findLastIndex((step) => (load?.packets ?? 0) >= step);
}

export interface Palette {
  ground: string;
  text: string;
  faint: string;
  line: string;
  accent: string;
  tree: string;
  path: string;
  down: string;
  fill: Record<Fill, string>;
  load: readonly string[];
}

export const PALETTES: Record<"light" | "dark", Palette> = {
  light: {
    ground: "#ffffff",
    text: "#1d2528",
    faint: "#dfe4e6",
    line: "#8d999d",
    accent: "#0b7188",
    tree: "#8a4fa3",
    path: "#b8500f",
    down: "#b3261e",
    fill: { unlimited: "#8d999d", low: "#2a8ca2", half: "#0b6277", high: "#c98a00", full: "#b3261e" },
    load: ["#b4bec1", "#69aebf", "#2a8ca2", "#c98a00", "#b3261e"],
  },
  dark: {
    ground: "#1f2426",
    text: "#e6ecee",
    faint: "#3a4447",
    line: "#6f7d82",
    accent: "#69aebf",
    tree: "#cf9be6",
    path: "#ffa866",
    down: "#ff8f86",
    fill: { unlimited: "#7d8b90", low: "#4aa3b8", half: "#86cfe0", high: "#f0b429", full: "#ff7b70" },
    load: ["#55636a", "#3b7f90", "#69aebf", "#f0b429", "#ff7b70"],
  },
};

/** A switch's classes in the drawing. */
export function classesOf(row: NetSwitch): string {
  return `switch fill-${fillClass(fill(row))} ${switchState(row)}`;
}

const UNITS = ["", "k", "M", "G", "T"];

/** A number in few characters: 950, 1.2k, 34k, 5.6M. */
export function formatShort(value: number): string {
  let [number, unit] = [value, 0];
  while (number >= 999.5 && unit < UNITS.length - 1) [number, unit] = [number / 1_000, unit + 1];
  const digits = unit === 0 || number >= 9.95 ? Math.round(number).toString() : number.toFixed(1);
  return digits.replace(/\.0$/, "") + UNITS[unit];
}

/** "5.8 k" for "5.8k": a unit can follow. */
const separateUnit = (short: string) => short.replace(/([kMGT]?)$/, " $1");

/** A load as text with units. */
export function loadText(load: Load | null): string {
  if (!load) return text.describe.loadUnknown;
  const { packets, bits } = load;
  const rate = packets >= 10 || packets === 0 ? Math.round(packets) : packets.toFixed(1);
  return text.describe.load(rate.toLocaleString(), separateUnit(formatShort(bits)));
}
