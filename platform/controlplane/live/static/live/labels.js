// Placing the names of switches so that they cover neither each other nor the switches.

/**
 * Where each of `wanted` ({text, at: [x, y]}) goes: below, above, right or left of its point, or on a
 * diagonal, wherever it covers least. With `drop`, those that would cover another are left out.
 */
export function place(wanted, { radius, size, width, height, drop }) {
  const taken = wanted.map(({ at: [x, y] }) => box(x - radius, y - radius, 2 * radius, 2 * radius));
  const placed = [];
  for (const { text, at } of wanted) {
    const choices = candidates(text, at, radius, size);
    const costs = choices.map((choice) => cost(choice.box, taken, width, height));
    const best = costs.indexOf(Math.min(...costs));
    if (drop && costs[best] > 1) continue;
    taken.push(choices[best].box);
    placed.push({ text, ...choices[best] });
  }
  return placed;
}

function candidates(text, [x, y], radius, size) {
  const wide = text.length * size * 0.6;
  const near = radius + 3;
  const slant = radius * 0.75 + 2;
  return [
    at("middle", x, y + near + size * 0.8),
    at("middle", x, y - near - size * 0.2),
    at("start", x + near, y + size * 0.35),
    at("end", x - near, y + size * 0.35),
    at("start", x + slant, y + slant + size * 0.6),
    at("end", x - slant, y + slant + size * 0.6),
    at("start", x + slant, y - slant),
    at("end", x - slant, y - slant),
  ];

  function at(anchor, u, v) {
    const left = { start: u, middle: u - wide / 2, end: u - wide }[anchor];
    return { anchor, x: u.toFixed(1), y: v.toFixed(1), box: box(left, v - size * 0.8, wide, size) };
  }
}

function box(x, y, w, h) {
  return { x, y, right: x + w, bottom: y + h };
}

/** Covered area, and what sticks out of the drawing, which costs more. */
function cost(a, taken, width, height) {
  const outside = Math.max(0, -a.x) + Math.max(0, a.right - width) + Math.max(0, -a.y) + Math.max(0, a.bottom - height);
  const covered = taken.reduce((sum, b) => {
    const across = Math.min(a.right, b.right) - Math.max(a.x, b.x);
    const down = Math.min(a.bottom, b.bottom) - Math.max(a.y, b.y);
    return sum + (across > 0 && down > 0 ? across * down : 0);
  }, 0);
  return covered + 100 * outside;
}
