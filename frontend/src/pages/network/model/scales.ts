// What colours, widths and shapes stand for.

import { fill, type Load, type NetSwitch, switchState } from "./network";

export type Fill = "unlimited" | "low" | "half" | "high" | "full";

/** The class of how full a table is: from half, from 80 %, from 100 % on. */
export function fillClass(share: number | null): Fill {
  if (share === null) return "unlimited";
  if (share >= 1) return "full";
  if (share >= 0.8) return "high";
  return share >= 0.5 ? "half" : "low";
}

/** How full in words: "no limit", or percent; never "100 %" before it is. */
export function fillText(share: number | null): string {
  if (share === null) return "no limit";
  const percent = Math.floor(100 * share + 1e-9);
  return share > 0 && percent === 0 ? "<1 %" : `${percent} %`;
}

/** The fullest of some switches; those without a limit count least. */
export function fullest(rows: readonly NetSwitch[]): number | null {
  return rows.reduce<number | null>((most, row) => {
    const share = fill(row);
    return share !== null && (most === null || share > most) ? share : most;
  }, null);
}

export const LOAD_STEPS = [0, 1e-9, 10, 100, 1_000] as const; // packets a second
export const LOAD_NAMES = ["idle", "below 10", "from 10", "from 100", "from 1,000 packets/s"] as const;
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
  const text = unit === 0 || number >= 9.95 ? Math.round(number).toString() : number.toFixed(1);
  return text.replace(/\.0$/, "") + UNITS[unit];
}

/** "5.8 k", so that a unit can follow. */
const separateUnit = (text: string) => text.replace(/([kMGT]?)$/, " $1");

/** A load in words. */
export function loadText(load: Load | null): string {
  if (!load) return "load not known";
  const { packets, bits } = load;
  const rate = packets >= 10 || packets === 0 ? Math.round(packets) : packets.toFixed(1);
  return `${rate.toLocaleString()} packets/s, ${separateUnit(formatShort(bits))}bit/s`;
}
