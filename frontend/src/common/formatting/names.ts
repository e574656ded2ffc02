/** Name of an advertisement in plans and events, for example a7. */
export function advertisementName(id: number): string {
  return `a${id}`;
}
