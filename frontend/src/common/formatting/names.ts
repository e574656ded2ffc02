/** An advertisement by its id in plans, which publishers sign their events with: a7. */
export function advertisementName(id: number): string {
  return `a${id}`;
}
