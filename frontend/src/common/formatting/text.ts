/** Units and limits of numbers and times. */
export const text = {
  veryLarge: "over 10⁹ %",
  verySmall: "below 0.01 %",
  estimate: (value: string, error: string) => `≈ ${value} (± ${error})`,
  range: (min: string, max: string) => `${min} to ${max}`,
  anyText: "any text",
  utc: (time: string) => `${time} UTC`,
  seconds: (count: number) => `${count} s`,
  minutes: (count: number) => `${count} min`,
  hours: (count: number) => `${count} h`,
  days: (count: number) => `${count} d`,
};
