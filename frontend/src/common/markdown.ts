// As much of Markdown as the documentation uses, as blocks to be shown.

export type Block =
  | { kind: "heading"; level: number; text: string }
  | { kind: "text"; text: string }
  | { kind: "code"; text: string }
  | { kind: "list"; items: string[] }
  | { kind: "table"; header: string[]; rows: string[][] };

export type Inline = { kind: "text" | "code" | "strong" | "link"; text: string; to?: string };

/** The blocks of a page, in their order. */
export function blocks(page: string): Block[] {
  const found: Block[] = [];
  const lines = page.split("\n");
  let at = 0;
  const takeWhile = (fits: (line: string) => boolean) => {
    const taken: string[] = [];
    while (at < lines.length && fits(lines[at] ?? "")) taken.push(lines[at++] ?? "");
    return taken;
  };
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const heading = /^(#+) (.*)$/.exec(line);
    if (line.trim() === "") at += 1;
    else if (heading) {
      found.push({ kind: "heading", level: heading[1]?.length ?? 1, text: heading[2] ?? "" });
      at += 1;
    } else if (line.startsWith("    ")) {
      const code = takeWhile((one) => one.startsWith("    ") || one.trim() === "");
      found.push({
        kind: "code",
        text: code
          .map((one) => one.slice(4))
          .join("\n")
          .trimEnd(),
      });
    } else if (line.startsWith("|")) {
      const [header = [], , ...rows] = takeWhile((one) => one.startsWith("|")).map(cells);
      found.push({ kind: "table", header, rows });
    } else if (/^(- |\d+\. )/.test(line)) {
      found.push({ kind: "list", items: items(takeWhile((one) => /^(- |\d+\. |\s+\S)/.test(one))) });
    } else {
      const text = takeWhile((one) => one.trim() !== "" && !/^(#|\||- )/.test(one));
      found.push({ kind: "text", text: text.join(" ") });
    }
  }
  return found;
}

/** From a heading (its text, or its anchor) to the next of its level or above; the whole page where there is none. */
export function section(page: readonly Block[], heading: string): Block[] {
  const start = page.findIndex(
    (one) => one.kind === "heading" && (plain(one.text) === plain(heading) || anchor(one.text) === heading),
  );
  const first = page[start];
  if (first?.kind !== "heading") return [...page];
  const length = page.slice(start + 1).findIndex((one) => one.kind === "heading" && one.level <= first.level);
  return page.slice(start, length < 0 ? undefined : start + 1 + length);
}

/** Code, strong words and links in a line of text. */
export function inline(text: string): Inline[] {
  const found: Inline[] = [];
  const pattern = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)]+)\)/g;
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > end) found.push({ kind: "text", text: text.slice(end, match.index) });
    if (match[1] !== undefined) found.push({ kind: "code", text: match[1] });
    else if (match[2] !== undefined) found.push({ kind: "strong", text: match[2] });
    else found.push({ kind: "link", text: plain(match[3] ?? ""), to: match[4] });
    end = match.index + match[0].length;
  }
  if (end < text.length) found.push({ kind: "text", text: text.slice(end) });
  return found;
}

/** A heading's anchor, as GitHub makes it. */
export function anchor(heading: string): string {
  return plain(heading)
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");
}

const plain = (text: string) => text.replaceAll("`", "");

function cells(row: string): string[] {
  const inner = row.trim().replace(/^\|/, "").replace(/\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function items(lines: string[]): string[] {
  const found: string[] = [];
  for (const line of lines) {
    const begun = /^(?:- |\d+\. )(.*)$/.exec(line);
    if (begun) found.push(begun[1] ?? "");
    else found.push(`${found.pop() ?? ""} ${line.trim()}`);
  }
  return found;
}
