import { Text, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { FillMark } from "./map/FillMark";
import { announcement } from "./model/descriptions";
import { type Adjacency, directionOf, neighbourTowards, type Point } from "./model/neighbourhood";
import { fill, type NetSwitch, type Network, switchState, title } from "./model/network";
import { fillText } from "./model/scales";
import { type SearchHit, searchSwitches } from "./model/search";
import classes from "./network.module.css";
import { text } from "./text";

const ROW = 40;
const NARROW = "(max-width: 48em)"; // the details are below the list

/**
 * List of the switches with the same selection as the drawing.
 *
 * Up and Down select the previous or next switch, Left and Right the neighbour in that direction. Enter moves the focus
 * to the details (`onEnter`).
 */
export function SwitchList({
  network,
  adjacent,
  at,
  only,
  marked,
  selected,
  q,
  onSearch,
  onSelect,
  onEnter,
  list,
}: {
  network: Network;
  adjacent: Adjacency;
  at: ReadonlyMap<string, Point>;
  only: ReadonlySet<string> | null;
  /** Notes by switch about the tree, or the path of the event, in the drawing. */
  marked: ReadonlyMap<string, string>;
  selected: string | null;
  q: string;
  onSearch: (q: string) => void;
  onSelect: (name: string) => void;
  onEnter: (name: string) => void;
  list: RefObject<HTMLDivElement | null>;
}) {
  const [typed, setTyped] = useState(q); // the address changes later
  const type = (now: string) => {
    setTyped(now);
    onSearch(now);
  };
  const rows = useMemo(() => searchSwitches(network, typed, only), [network, typed, only]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => list.current,
    estimateSize: () => ROW,
    overscan: 10,
  });
  const index = rows.findIndex(({ row }) => row.name === selected);
  const scrolled = useRef<string | null>(null);
  useEffect(() => {
    if (selected && index >= 0 && scrolled.current !== selected) virtual.scrollToIndex(index);
    scrolled.current = selected;
  }, [selected, index, virtual]);

  const pick = (to: number): string | undefined => {
    const name = rows[Math.max(0, Math.min(rows.length - 1, to))]?.row.name;
    if (name !== undefined) onSelect(name);
    return name;
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    const direction = directionOf(event.key);
    const sideways = direction === "left" || direction === "right";
    if (direction === "down") pick(index + 1);
    else if (direction === "up") pick(index < 0 ? 0 : index - 1);
    else if (sideways && selected) {
      const next = neighbourTowards(adjacent, at, selected, direction);
      if (next) onSelect(next);
    } else if (event.key === "Home") pick(0);
    else if (event.key === "End") pick(rows.length - 1);
    else if (event.key === "Enter" && selected) onEnter(selected);
    else return;
    event.preventDefault();
  };
  const onSearchKey = (event: React.KeyboardEvent) => {
    if (event.key === "Enter") {
      const name = pick(Math.max(0, index));
      if (name !== undefined) onEnter(name);
    } else if (event.key === "ArrowDown") {
      pick(Math.max(0, index));
      list.current?.focus();
    } else if (event.key === "Escape") type("");
    else return;
    event.preventDefault();
  };
  const chosen = selected ? network.switches.get(selected) : undefined;

  return (
    <div className={`${classes.box} ${classes.listbox}`}>
      <TextInput
        aria-label={text.list.search}
        placeholder={text.list.placeholder}
        leftSection={<IconSearch size={15} aria-hidden />}
        size="xs"
        m={6}
        value={typed}
        onChange={(event) => type(event.currentTarget.value)}
        onKeyDown={onSearchKey}
        data-search
      />
      <div
        ref={list}
        className={classes.list}
        role="listbox"
        tabIndex={0}
        aria-label={text.list.label}
        aria-activedescendant={index >= 0 ? optionId(selected ?? "") : undefined}
        onKeyDown={onKeyDown}
      >
        {rows.length === 0 && (
          <Text size="sm" c="dimmed" p="sm" role="option" aria-selected={false} aria-disabled>
            {typed ? text.list.noMatch(typed) : text.list.none}
          </Text>
        )}
        <div style={{ height: virtual.getTotalSize() }} role="presentation">
          {virtual.getVirtualItems().map((item) => {
            const one = rows[item.index];
            if (!one) return null;
            return (
              <Option
                key={one.row.name}
                one={one}
                mark={marked.get(one.row.name)}
                top={item.start}
                place={item.index + 1}
                of={rows.length}
                chosen={one.row.name === selected}
                onPick={() => {
                  onSelect(one.row.name);
                  if (matchMedia(NARROW).matches) onEnter(one.row.name);
                  else list.current?.focus({ preventScroll: true });
                }}
              />
            );
          })}
        </div>
      </div>
      <Text size="xs" c="dimmed" px={8} py={4}>
        {text.list.count(rows.length, network.switches.size)}
      </Text>
      <span role="status" className={classes.spoken} data-spoken>
        {chosen ? announcement(chosen, network, adjacent) : ""}
      </span>
    </div>
  );
}

function Option({
  one,
  mark,
  top,
  place,
  of,
  chosen,
  onPick,
}: {
  one: SearchHit;
  mark: string | undefined;
  top: number;
  place: number;
  of: number;
  chosen: boolean;
  onPick: () => void;
}) {
  const { row, host } = one;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
    <div
      id={optionId(row.name)}
      role="option"
      tabIndex={-1}
      aria-selected={chosen}
      aria-posinset={place}
      aria-setsize={of}
      className={classes.option}
      style={{ top, height: ROW }}
      onClick={onPick}
      data-switch={row.name}
    >
      <FillMark row={row} />
      <span className={classes.name}>
        <Text span size="sm" fw={500}>
          {title(row)}
        </Text>
        <Text size="xs" c="dimmed" truncate>
          {mark ? <span className={classes.mark}>{mark}</span> : host ? text.list.host(host) : note(row)}
        </Text>
      </span>
      <Text span size="xs" c={fill(row) === null ? "dimmed" : undefined}>
        {fill(row) === null ? row.entries.toLocaleString() : fillText(fill(row))}
      </Text>
    </div>
  );
}

function note(row: NetSwitch): string {
  const state = switchState(row);
  if (state !== "connected") return text.states[state];
  if (row.problems > 0) return text.list.problems(row.problems);
  return row.label && row.label !== row.name ? row.name : text.list.entries(row.entries);
}

const optionId = (name: string) => `switch-${name}`;
