// Files of people and of what they announce: CSV (RFC 4180) or JSON, each item with the line that it begins in.

import { formatQuantity } from "@/common/requests/AffectedCounts";

export type Item = Record<string, unknown>;

export interface ParseProblem {
  line: number;
  detail: string;
}

export interface Parsed {
  items: Item[];
  /** The line, from 1, that each item begins in. */
  lines: number[];
  troubles: ParseProblem[];
}

export const MAX_ITEMS = 50_000;
export const MAX_BYTES = 32 * 1024 * 1024;

/** The text of a file in UTF-8; where it is none, the first line that is not. */
export function decodeText(bytes: ArrayBuffer): string | ParseProblem {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const lenient = new TextDecoder("utf-8").decode(bytes);
    const line = lenient.slice(0, lenient.indexOf("\ufffd")).split("\n").length;
    return { line, detail: "It is not UTF-8. Save the file as UTF-8 (in a spreadsheet: CSV UTF-8)." };
  }
}

/** Reads a file's text by its name; `fields` are the columns that a CSV file must have. */
export function parse(name: string, text: string, fields: readonly string[]): Parsed {
  const plain = text.startsWith("\ufeff") ? text.slice(1) : text;
  const json = /\.json$/i.test(name) || (!/\.(csv|txt)$/i.test(name) && /^\s*[[{]/.test(plain));
  return json ? parseJson(plain) : parseCsv(plain, fields);
}

/** A JSON list of objects. */
export function parseJson(text: string): Parsed {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return failureAt(lineOf(text, detail), `It is no JSON: ${detail}. Correct it, or send CSV.`);
  }
  if (!Array.isArray(value)) return failureAt(1, "It is no list. Write [ … ] around the items.");
  return { items: value as Item[], lines: itemLines(text), troubles: [] };
}

/** A CSV table with a line of headers; empty lines do not count. Items are of the lines without trouble. */
export function parseCsv(text: string, fields: readonly string[]): Parsed {
  const separated = otherSeparator(text);
  if (separated) return { items: [], lines: [], troubles: [separated] };
  const { rows, trouble } = records(text);
  const [first, ...rest] = rows.filter(({ cells }) => cells.length > 1 || cells[0] !== "");
  if (!first && trouble) return { items: [], lines: [], troubles: [trouble] };
  if (!first) return failureAt(1, `It is empty. Its first line names the columns: ${fields.join(",")}.`);
  const headers = first.cells.map((cell) => cell.trim());
  const missing = fields.filter((field) => !headers.includes(field));
  if (missing.length > 0)
    return failureAt(
      first.line,
      `The first line names the columns ${headers.join(", ")}; ${missing.join(", ")} is missing. It should be: ${fields.join(",")}.`,
    );
  const troubles: ParseProblem[] = rest
    .filter(({ cells }) => cells.length !== headers.length)
    .map(({ line, cells }) => ({
      line,
      detail: `It has ${formatQuantity(cells.length, "cell")} and not ${headers.length}. Put quotes around a cell with a comma in it.`,
    }));
  if (trouble) troubles.push(trouble);
  const whole = rest.filter(({ cells }) => cells.length === headers.length);
  const items = whole.map(({ cells }) =>
    Object.fromEntries(headers.map((header, n) => [header, cells[n] ?? ""])),
  );
  return { items, lines: whole.map(({ line }) => line), troubles };
}

/** What other tools put between columns, in words. */
const SEPARATORS = { ";": "semicolons", "\t": "tabs", "|": "vertical bars" };

/** What is wrong with a heading whose columns are separated by something else than commas; null where they are not. */
function otherSeparator(text: string): ParseProblem | null {
  const lines = text.split(/\r\n|\r|\n/);
  const at = lines.findIndex((line) => line.trim() !== "");
  const heading = lines[at] ?? "";
  const times = (mark: string) => heading.split(mark).length - 1;
  const [mark, words] = Object.entries(SEPARATORS).reduce((a, b) => (times(b[0]) > times(a[0]) ? b : a));
  if (times(mark) <= times(",")) return null;
  const detail = `The heading is separated by ${words}. Separate the columns by commas, in every line (in a spreadsheet: save as CSV with commas).`;
  return { line: at + 1, detail };
}

interface Row {
  line: number;
  cells: string[];
}

/** The records of a CSV text, each with the line that it begins in; cells in quotes may hold line ends. */
function records(text: string): { rows: Row[]; trouble?: ParseProblem } {
  const rows: Row[] = [];
  let row: Row = { line: 1, cells: [] };
  let line = 1;
  let at = 0;
  while (at < text.length) {
    let cell: string;
    if (text[at] === '"') {
      const began = line;
      const found = quotedCell(text, at);
      if (!found)
        return { rows, trouble: { line: began, detail: "A quoted cell does not end. Close its quotes." } };
      cell = found.cell;
      at = found.after;
      line += found.lines;
    } else {
      const end = unquotedEnd(text, at);
      cell = text.slice(at, end);
      at = end;
    }
    row.cells.push(cell);
    const next = text[at];
    if (next === ",") {
      at += 1;
      if (at === text.length) row.cells.push("");
      continue;
    }
    if (next !== undefined && next !== "\r" && next !== "\n")
      return {
        rows,
        trouble: { line, detail: "Something stands behind a quoted cell. Double the quotes inside it." },
      };
    if (next === "\r" && text[at + 1] === "\n") at += 1;
    at += 1;
    line += 1;
    rows.push(row);
    row = { line, cells: [] };
  }
  if (row.cells.length > 0) rows.push(row);
  return { rows };
}

function quotedCell(text: string, start: number): { cell: string; after: number; lines: number } | null {
  let from = start + 1;
  let cell = "";
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return null;
    cell += text.slice(from, quote);
    if (text[quote + 1] !== '"') return { cell, after: quote + 1, lines: cell.split("\n").length - 1 };
    cell += '"';
    from = quote + 2;
  }
}

function unquotedEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length && text[end] !== "," && text[end] !== "\n" && text[end] !== "\r") end += 1;
  return end;
}

/** The lines in which the members of the outermost list begin. */
export function itemLines(text: string): number[] {
  const found: number[] = [];
  let line = 1;
  let depth = 0;
  let string = false;
  let waiting = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string;
    if (character === "\n") line += 1;
    if (string) {
      if (character === "\\") at += 1;
      else if (character === '"') string = false;
      continue;
    }
    if (waiting && depth === 1 && !/[\s,\]]/.test(character)) {
      found.push(line);
      waiting = false;
    }
    if (character === '"') string = true;
    else if (character === "[" || character === "{") {
      depth += 1;
      if (depth === 1) waiting = true;
    } else if (character === "]" || character === "}") depth -= 1;
    else if (character === "," && depth === 1) waiting = true;
  }
  return found;
}

/** The line that a message of the JSON parser is about. */
function lineOf(text: string, detail: string): number {
  const told = /line (\d+)/.exec(detail);
  if (told) return Number(told[1]);
  const position = /position (\d+)/.exec(detail);
  if (!position) return text.trimEnd().split("\n").length;
  return text.slice(0, Number(position[1])).split("\n").length;
}

const failureAt = (line: number, detail: string): Parsed => ({
  items: [],
  lines: [],
  troubles: [{ line, detail }],
});

/** What is too large, told before anything is sent; null when it fits. */
export function tooLarge(bytes: number, items: number): string | null {
  if (bytes > MAX_BYTES)
    return `The file has ${(bytes / 1024 / 1024).toFixed(1)} MiB; at most ${MAX_BYTES / 1024 / 1024} MiB are taken. Split it.`;
  if (items > MAX_ITEMS)
    return `The file has ${items.toLocaleString()} items; at most ${MAX_ITEMS.toLocaleString()} are taken. Split it.`;
  return null;
}

/** A table as CSV text. */
export function toPlainCsv(headers: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const cell = (value: unknown) => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [headers, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}
