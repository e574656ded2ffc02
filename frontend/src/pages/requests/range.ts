/** An ISO time as a field of local time takes it; empty for none or for what is no time. */
export function asField(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "";
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 19);
}

/** What a field of local time says, in UTC; null for an empty one. */
export function fromField(text: string): string | null {
  const date = new Date(text);
  return text === "" || Number.isNaN(date.getTime()) ? null : date.toISOString();
}
