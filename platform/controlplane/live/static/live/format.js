// Numbers and times as people read them: their own zone, with UTC on hover.

const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const tenth = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1, minimumFractionDigits: 1 });
const compact = new Intl.NumberFormat(undefined, { notation: "compact", maximumSignificantDigits: 3 });
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const dated = new Intl.DateTimeFormat(undefined, {
  day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", second: "2-digit",
});

/** A count, or a dash when there is none. */
export function count(value) {
  return Number.isFinite(value) ? whole.format(value) : "–";
}

/** A count in few characters. */
export function short(value) {
  return value < 10000 ? whole.format(value) : compact.format(value);
}

/** A number a second. */
export function rate(value) {
  return value >= 10 || value === 0 ? whole.format(value) : tenth.format(value);
}

/** Milliseconds. */
export function milliseconds(value) {
  if (!Number.isFinite(value)) return "–";
  return value < 10 ? tenth.format(value) : whole.format(value);
}

/** How long something took. */
export function duration(ms) {
  if (!Number.isFinite(ms) || ms < 0) return "–";
  return ms < 1000 ? `${Math.round(ms)} ms` : age(ms / 1000, 1);
}

/** A number of seconds, in the unit that suits it. */
export function age(seconds, digits = 0) {
  if (seconds < 60) return `${seconds.toFixed(digits)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 172800 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86400)} days`;
}

/** Attributes of a <time> element: local text, machine time, and UTC as its title. */
export function time(text) {
  const at = new Date(text);
  if (!text || Number.isNaN(at.getTime())) return { text: "–", datetime: null, title: null };
  const today = at.toDateString() === new Date().toDateString();
  return {
    text: (today ? clock : dated).format(at),
    datetime: at.toISOString(),
    title: at.toISOString().replace("T", " ").replace("Z", " UTC"),
  };
}
