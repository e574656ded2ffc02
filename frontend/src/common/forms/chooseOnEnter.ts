import type { KeyboardEvent } from "react";

/**
 * Choose the marked option of a search field on Enter, or the first name.
 *
 * Mantine loses the mark that it shows if keys arrive before the timers of the list, and then ignores Enter.
 */
export function chooseOnEnter(
  event: KeyboardEvent<HTMLInputElement>,
  typing: boolean,
  names: readonly string[],
  choose: (name: string) => void,
) {
  if (event.key !== "Enter" || event.nativeEvent.isComposing || !typing) return;
  const list = document.getElementById(event.currentTarget.getAttribute("aria-controls") ?? "");
  const marked = list?.querySelector("[data-combobox-selected]")?.getAttribute("value") ?? names[0];
  if (!marked) return;
  event.preventDefault();
  choose(marked);
}
