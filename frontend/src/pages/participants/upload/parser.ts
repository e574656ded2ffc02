// Parser for lists of participants and announcements: CSV (RFC 4180) or JSON, each item with its first line.

import { text as texts } from "../text";

export type Item = Record<string, unknown>;

export interface ParseProblem {
  line: number;
  detail: string;
}

export interface Parsed {
  items: Item[];
  /** First line of each item, counted from 1. */
  lines: number[];
  troubles: ParseProblem[];
}

export const MAX_ITEMS = 50_000;
export const MAX_BYTES = 32 * 1024 * 1024;

/** Decode a file as UTF-8; if it is not UTF-8, return the first wrong line as a problem. */
export function decodeText(bytes: ArrayBuffer): string | ParseProblem {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const lenient = new TextDecoder("utf-8").decode(bytes);
    const line = lenient.slice(0, lenient.indexOf("\ufffd")).split("\n").length;
    return { line, detail: texts.file.notUtf8 };
  }
}

/** Parse a text in the format of its file name; a CSV file must have the columns `fields`. */
export function parse(name: string, text: string, fields: readonly string[]): Parsed {
  const plain = text.startsWith("\ufeff") ? text.slice(1) : text;
  const json = /\.json$/i.test(name) || (!/\.(csv|txt)$/i.test(name) && /^\s*[[{]/.test(plain));
  return json ? parseJson(plain) : parseCsv(plain, fields);
}

/** Parse a JSON list of objects. */
export function parseJson(text: string): Parsed {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return failureAt(lineOf(text, detail), texts.file.notJson(detail));
  }
  if (!Array.isArray(value)) return failureAt(1, texts.file.notList);
  return { items: value as Item[], lines: itemLines(text), troubles: [] };
}

/** Parse a CSV table with a header line. Lines with a problem do not become items. */
export function parseCsv(text: string, fields: readonly string[]): Parsed {
  const separated = otherSeparator(text);
  if (separated) return { items: [], lines: [], troubles: [separated] };
  const { rows, trouble } = records(text);
  const [first, ...rest] = rows.filter(({ cells }) => cells.length > 1 || cells[0] !== "");
  if (!first && trouble) return { items: [], lines: [], troubles: [trouble] };
  if (!first) return failureAt(1, texts.file.empty(fields.join(",")));
  const headers = first.cells.map((cell) => cell.trim());
  const missing = fields.filter((field) => !headers.includes(field));
  if (missing.length > 0)
    return failureAt(
      first.line,
      texts.file.missingColumns(headers.join(", "), missing.join(", "), fields.join(",")),
    );
  const troubles: ParseProblem[] = rest
    .filter(({ cells }) => cells.length !== headers.length)
    .map(({ line, cells }) => ({
      line,
      detail: texts.file.cells(cells.length, headers.length),
    }));
  if (trouble) troubles.push(trouble);
  const whole = rest.filter(({ cells }) => cells.length === headers.length);
  const items = whole.map(({ cells }) =>
    Object.fromEntries(headers.map((header, n) => [header, cells[n] ?? ""])),
  );
  return { items, lines: whole.map(({ line }) => line), troubles };
}

/** Return the problem of a header line that is not separated by commas, or null. */
function otherSeparator(text: string): ParseProblem | null {
  const lines = text.split(/\r\n|\r|\n/);
  const at = lines.findIndex((line) => line.trim() !== "");
  const heading = lines[at] ?? "";
  const times = (mark: string) => heading.split(mark).length - 1;
  const [mark, words] = Object.entries(texts.file.separators).reduce((a, b) =>
    times(b[0]) > times(a[0]) ? b : a,
  );
  if (times(mark) <= times(",")) return null;
  return { line: at + 1, detail: texts.file.otherSeparator(words) };
}

interface Row {
  line: number;
  cells: string[];
}

/** Split a CSV text into records with their first lines; quoted cells may have line ends. */
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
      if (!found) return { rows, trouble: { line: began, detail: texts.file.openQuote } };
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
        trouble: { line, detail: texts.file.afterQuote },
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

/** Return the first line of each member of the outermost list. */
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

/** Return the line that a message of the JSON parser names. */
function lineOf(text: string, detail: string): number {
  const named = /line (\d+)/.exec(detail);
  if (named) return Number(named[1]);
  const position = /position (\d+)/.exec(detail);
  if (!position) return text.trimEnd().split("\n").length;
  return text.slice(0, Number(position[1])).split("\n").length;
}

const failureAt = (line: number, detail: string): Parsed => ({
  items: [],
  lines: [],
  troubles: [{ line, detail }],
});

/** Return the problem of a file that exceeds a limit; null if it is within the limits. */
export function tooLarge(bytes: number, items: number): string | null {
  if (bytes > MAX_BYTES)
    return texts.file.tooManyBytes((bytes / 1024 / 1024).toFixed(1), MAX_BYTES / 1024 / 1024);
  if (items > MAX_ITEMS) return texts.file.tooManyItems(items, MAX_ITEMS);
  return null;
}

/** Format a table as CSV text. */
export function toPlainCsv(headers: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const cell = (value: unknown) => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [headers, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}
