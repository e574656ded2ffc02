// Strings of filters: in double quotes, with \" for a quote and \\ for a backslash. There are no other escapes.

/** Regular expression for a quoted text. */
export const QUOTED = '"(?:[^"\\\\]|\\\\.)*"';

/** Decode a quoted text. Unlike in JSON, it can contain tabs and line ends. */
export function unquote(literal: string): string {
  return literal.slice(1, -1).replace(/\\(["\\])/g, "$1");
}

/** Escape a text for a regular expression. */
export const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\-]/g, "\\$&");
