// Where switches are drawn: on their coordinates, or where springs along the links put them.

const WORK = 4e7; // pairs that the springs may look at, all turns together
const STRETCH = 1.45;
const FEW = 200; // switches up to which those too near are pushed apart

/**
 * Points by switch name, in no particular scale. Coordinates win; without them, `previous` points are
 * kept and new switches land beside their neighbours, so that nothing reshuffles.
 */
export function layout(switches, links, previous = new Map()) {
  const points = new Map();
  for (const row of switches) if (located(row)) points.set(row.name, [row.longitude, -row.latitude]);
  if (points.size) flatten(points);
  const free = switches.filter((row) => !points.has(row.name)).map((row) => row.name);
  if (!free.length && !coincide(points)) return points;
  if (!points.size || coincide(points)) return springs(switches.map((row) => row.name), links, previous);
  for (const name of free) points.set(name, beside(name, links, points, free));
  return points;
}

/**
 * Points fitted into a box; `pad` is [horizontal, vertical]. Proportions are kept, but for a stretch of at
 * most `STRETCH` where the box has room.
 */
export function fit(points, width, height, [padX, padY]) {
  const [left, right, top, bottom] = bounds(points);
  const across = Math.max(right - left, 1e-9);
  const down = Math.max(bottom - top, 1e-9);
  const [wide, tall] = [(width - 2 * padX) / across, (height - 2 * padY) / down];
  const scaleX = Math.min(wide, tall * STRETCH);
  const scaleY = Math.min(tall, wide * STRETCH);
  const move = (value, low, span, scale, size) => (size - span * scale) / 2 + (value - low) * scale;
  return new Map([...points].map(([name, [x, y]]) => [
    name, [move(x, left, across, scaleX, width), move(y, top, down, scaleY, height)],
  ]));
}

/** Push points apart that are nearer than `gap`, which few are, so that none hides another. */
export function separate(points, gap) {
  const places = [...points.values()];
  if (places.length > FEW) return points;
  for (let turn = 0; turn < 40; turn += 1) {
    for (let i = 0; i < places.length; i += 1) {
      for (let j = 0; j < i; j += 1) push(places[i], places[j], gap);
    }
  }
  return points;
}

function push(p, q, gap) {
  const [u, v] = [p[0] - q[0], p[1] - q[1] || 0.1];
  const length = Math.hypot(u, v);
  if (length >= gap) return;
  const share = (gap - length) / (2 * length);
  p[0] += u * share; p[1] += v * share;
  q[0] -= u * share; q[1] -= v * share;
}

/** Width by height of the points' extent, for the shape of the box; 1.6 when it has none. */
export function proportion(points) {
  const [left, right, top, bottom] = bounds(points);
  return right > left && bottom > top ? (right - left) / (bottom - top) : 1.6;
}

function located({ latitude, longitude }) {
  return Number.isFinite(latitude) && Number.isFinite(longitude);
}

/** Shrink longitudes as the mean latitude does. */
function flatten(points) {
  const mean = [...points.values()].reduce((sum, [, y]) => sum + y, 0) / points.size;
  const shrink = Math.max(0.2, Math.cos((mean * Math.PI) / 180));
  for (const [name, [x, y]] of points) points.set(name, [x * shrink, y]);
}

function coincide(points) {
  const [left, right, top, bottom] = bounds(points);
  return points.size > 1 && right - left < 1e-6 && bottom - top < 1e-6;
}

function bounds(points) {
  const xs = [...points.values()].map(([x]) => x);
  const ys = [...points.values()].map(([, y]) => y);
  return [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
}

function beside(name, links, points, free) {
  const [left, right, top, bottom] = bounds(points);
  const step = Math.max(right - left, bottom - top, 1) * 0.08;
  const near = neighbours(name, links).map((other) => points.get(other)).filter(Boolean);
  const angle = free.indexOf(name) * 2.4; // the golden angle keeps several apart
  const [x, y] = near.length ? mean(near) : [(left + right) / 2, bottom + 2 * step];
  return [x + step * Math.cos(angle), y + step * Math.sin(angle)];
}

function neighbours(name, links) {
  return links.filter(({ a, b }) => a === name || b === name).map(({ a, b }) => (a === name ? b : a));
}

function mean(points) {
  const sum = points.reduce(([x, y], [u, v]) => [x + u, y + v], [0, 0]);
  return [sum[0] / points.length, sum[1] / points.length];
}

/** Fruchterman and Reingold's springs, from a fixed beginning, so that the same network looks the same. */
function springs(names, links, previous) {
  const size = names.length;
  const index = new Map(names.map((name, i) => [name, i]));
  const [x, y] = beginning(names, links, previous);
  if (names.every((name) => previous.has(name))) return named(names, x, y);
  const edges = links.map(({ a, b }) => [index.get(a), index.get(b)]);
  const ideal = 1 / Math.sqrt(size || 1);
  const turns = Math.max(20, Math.min(400, Math.floor(WORK / (size * size || 1))));
  for (let turn = 0; turn < turns; turn += 1) {
    relax(x, y, edges, ideal, 0.1 * (1 - turn / turns));
  }
  if (!previous.size) lie(x, y);
  return named(names, x, y);
}

/** Turn points so that their longest extent (their first principal axis) lies level. */
function lie(x, y) {
  let [xx, xy, yy] = [0, 0, 0];
  for (let i = 0; i < x.length; i += 1) {
    xx += x[i] * x[i]; xy += x[i] * y[i]; yy += y[i] * y[i];
  }
  const angle = -0.5 * Math.atan2(2 * xy, xx - yy);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  for (let i = 0; i < x.length; i += 1) {
    [x[i], y[i]] = [x[i] * cos - y[i] * sin, x[i] * sin + y[i] * cos];
  }
}

function beginning(names, links, previous) {
  const x = new Float64Array(names.length);
  const y = new Float64Array(names.length);
  names.forEach((name, i) => {
    const near = neighbours(name, links).map((other) => previous.get(other)).filter(Boolean);
    const angle = (2 * Math.PI * i) / names.length;
    const [u, v] = previous.get(name) ?? (near.length ? mean(near) : [Math.cos(angle) / 2, Math.sin(angle) / 2]);
    x[i] = u + (previous.has(name) ? 0 : 0.01 * Math.cos(i * 2.4));
    y[i] = v + (previous.has(name) ? 0 : 0.01 * Math.sin(i * 2.4));
  });
  return [x, y];
}

function relax(x, y, edges, ideal, heat) {
  const size = x.length;
  const dx = new Float64Array(size);
  const dy = new Float64Array(size);
  for (let i = 0; i < size; i += 1) {
    dx[i] -= 0.3 * ideal * x[i]; // a slight pull to the middle keeps separate parts in sight
    dy[i] -= 0.3 * ideal * y[i];
    for (let j = 0; j < i; j += 1) {
      const u = x[i] - x[j] || 1e-4;
      const v = y[i] - y[j] || 1e-4;
      const force = (ideal * ideal) / (u * u + v * v);
      dx[i] += u * force; dy[i] += v * force;
      dx[j] -= u * force; dy[j] -= v * force;
    }
  }
  for (const [i, j] of edges) {
    const u = x[i] - x[j];
    const v = y[i] - y[j];
    const force = Math.hypot(u, v) / ideal;
    dx[i] -= u * force; dy[i] -= v * force;
    dx[j] += u * force; dy[j] += v * force;
  }
  for (let i = 0; i < size; i += 1) {
    const length = Math.hypot(dx[i], dy[i]) || 1;
    x[i] += (dx[i] / length) * Math.min(length, heat);
    y[i] += (dy[i] / length) * Math.min(length, heat);
  }
}

function named(names, x, y) {
  return new Map(names.map((name, i) => [name, [x[i], y[i]]]));
}
