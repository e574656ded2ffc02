/** Convert an ISO time into the value of a field with local time. An invalid time becomes an empty value. */
export function asField(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return "";
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 19);
}

/** Convert the value of a field with local time into UTC. Returns null for an empty field. */
export function fromField(text: string): string | null {
  const date = new Date(text);
  return text === "" || Number.isNaN(date.getTime()) ? null : date.toISOString();
}
