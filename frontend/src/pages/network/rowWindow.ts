import { type RefObject, useEffect, useState } from "react";

const OVERSCAN = 10; // rows above and below the visible ones
const UNMEASURED = 600; // px, until the height of the list is known

/**
 * The rows of a scrolled list that are drawn: from `first` up to, not including, `end`.
 *
 * All rows have the same height. `reveal` scrolls just so far that a row is visible.
 */
export function useRowWindow(list: RefObject<HTMLElement | null>, count: number, height: number) {
  const [view, setView] = useState({ top: 0, height: UNMEASURED });
  useEffect(() => {
    const box = list.current;
    if (!box) return;
    const measure = () => setView({ top: box.scrollTop, height: box.clientHeight });
    const watch = new ResizeObserver(measure);
    watch.observe(box);
    box.addEventListener("scroll", measure, { passive: true });
    return () => {
      watch.disconnect();
      box.removeEventListener("scroll", measure);
    };
  }, [list]);
  const reveal = (row: number) => {
    const box = list.current;
    if (!box) return;
    if (row * height < box.scrollTop) box.scrollTop = row * height;
    else if ((row + 1) * height > box.scrollTop + box.clientHeight)
      box.scrollTop = (row + 1) * height - box.clientHeight;
  };
  return { ...rowsInView(view.top, view.height, count, height), reveal };
}

/** The first drawn row and the row after the last one. */
export function rowsInView(top: number, visible: number, count: number, height: number) {
  const end = Math.min(count, Math.ceil((top + visible) / height) + OVERSCAN);
  return { first: Math.min(Math.max(0, Math.floor(top / height) - OVERSCAN), end), end };
}
