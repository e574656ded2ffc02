// Texts as filters write them: in double quotes, with \" and \\ for a quote and a backslash, and nothing else behind one.

/** A text between quotes, as a part of a regular expression. */
export const QUOTED = '"(?:[^"\\\\]|\\\\.)*"';

/** What a quoted text says. Unlike in JSON, tabs and line ends may stand in it as they are. */
export function unquote(literal: string): string {
  return literal.slice(1, -1).replace(/\\(["\\])/g, "$1");
}

/** A text for a regular expression that looks for just it. */
export const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\-]/g, "\\$&");
