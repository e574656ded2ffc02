import { ActionIcon, Tooltip, useComputedColorScheme } from "@mantine/core";
import { IconFocusCentered, IconMinus, IconPlus } from "@tabler/icons-react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { describe } from "../model/descriptions";
import { type Adjacency, directionOf, neighbourTowards, type Point } from "../model/neighbourhood";
import type { Network } from "../model/network";
import { PALETTES } from "../model/scales";
import type { Selection } from "../model/selection";
import classes from "../network.module.css";
import { text } from "../text";
import { Drawing, type Viewport } from "./drawing";
import { levelAt } from "./groups";
import { thinLabels } from "./labels";
import { type Scene, sceneOf, switchId, type View } from "./scene";

const HOSTS_ZOOM = 0.95; // zoom from which hosts are shown
const HOSTS_MOST = 300;
const HOST_DISTANCE = 56; // pixels
const NOTHING: Scene = { nodes: [], edges: [], members: new Map() };

export interface GraphProps {
  network: Network;
  at: ReadonlyMap<string, Point>;
  adjacent: Adjacency;
  selection: Selection;
  onSelect: (selection: Selection) => void;
  only: ReadonlySet<string> | null;
  tree: View["tree"];
  path: View["path"];
  viewport: Viewport | null;
  onViewport: (viewport: Viewport | null) => void;
}

/** The topology on a canvas. Arrow keys select neighbours. The list contains the same information as text. */
export function Graph(props: GraphProps) {
  const { network, at, adjacent, selection, onSelect, only, tree, path, onViewport } = props;
  const container = useRef<HTMLDivElement>(null);
  const drawing = useRef<Drawing | null>(null);
  const [hovered, setHovered] = useState<string | null>(null);
  const [seen, setSeen] = useState(0); // grows whenever the view has moved
  const scheme = useComputedColorScheme("light");
  const selected = idOf(selection);
  const latest = useRef(props);
  latest.current = props;

  const seeAll = useCallback(() => {
    const { at: places, only: names } = latest.current;
    const points = [...places].flatMap(([name, point]) => (!names || names.has(name) ? [point] : []));
    drawing.current?.fit(points, points.length <= HOSTS_MOST / 2);
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: created once; a new scheme changes only colours
  useEffect(() => {
    if (!container.current) return;
    const made = new Drawing(container.current, PALETTES[scheme], {
      pick: (id) => pick(id),
      hover: setHovered,
      moved: (byHand) => {
        setSeen((count) => count + 1);
        if (byHand) latest.current.onViewport(made.viewport);
      },
    });
    drawing.current = made;
    const kept = latest.current.viewport;
    if (kept) made.setViewport(kept);
    else seeAll();
    setSeen((count) => count + 1);
    let width = container.current.clientWidth;
    const watch = new ResizeObserver(([entry]) => {
      made.measure();
      const now = entry?.contentRect.width ?? 0;
      if (now !== width && !latest.current.viewport) seeAll();
      width = now;
      setSeen((count) => count + 1);
    });
    watch.observe(container.current);
    return () => {
      watch.disconnect();
      made.end();
      drawing.current = null;
    };
  }, []);

  useEffect(() => drawing.current?.recolor(PALETTES[scheme]), [scheme]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `seen` represents the view of the drawing
  const shown: Scene = useMemo(() => {
    const cy = drawing.current;
    if (!cy) return NOTHING;
    const count = only?.size ?? network.switches.size;
    const hosts = cy.zoom >= HOSTS_ZOOM ? switchesShowingHosts(network, at, cy) : null;
    const all = sceneOf({
      ...{ network, at, adjacent, only, selected, tree, path },
      level: levelAt(cy.zoom, count),
      hostsOf: (name) => hosts?.has(name) ?? false,
      hostDistance: HOST_DISTANCE * cy.unit,
    });
    return { ...all, nodes: thinLabels(all.nodes, cy.unit) };
  }, [network, at, adjacent, only, selected, tree, path, seen]);

  useEffect(() => drawing.current?.show(shown), [shown]);

  // A new set of switches is moved into view. A view that the user has moved stays.
  const aim = only ? [...only].join() : "";
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs only for another set of switches
  useEffect(() => {
    if (aim || !latest.current.viewport) seeAll();
  }, [aim, at.size, seeAll]);
  const chosen = selection?.kind === "switch" ? selection.name : null;
  useEffect(() => {
    const point = chosen ? latest.current.at.get(chosen) : undefined;
    if (point) drawing.current?.reveal(point);
  }, [chosen]);

  const pick = (id: string | null) => {
    if (id?.startsWith("group:") || id?.startsWith("b:")) return open(id);
    const kind = id?.[0];
    const rest = id?.slice(2) ?? "";
    if (kind === "s") latest.current.onSelect({ kind: "switch", name: rest });
    else if (kind === "l") latest.current.onSelect({ kind: "link", id: Number(rest) });
    else if (id?.startsWith("hl:")) latest.current.onSelect({ kind: "host", name: id.slice(3) });
    else if (kind === "h") latest.current.onSelect({ kind: "host", name: rest });
    else if (id === null) latest.current.onSelect(null);
  };

  const open = (id: string) => {
    const cy = drawing.current;
    const members = groupsNow.current.get(id) ?? [];
    const points = members.flatMap((name) => latest.current.at.get(name) ?? []);
    if (!cy || points.length === 0) return;
    cy.fit(points);
    latest.current.onViewport(cy.viewport);
  };
  const groupsNow = useRef<ReadonlyMap<string, readonly string[]>>(new Map());
  groupsNow.current = shown.members;

  const onKeyDown = (event: React.KeyboardEvent) => {
    const direction = directionOf(event.key);
    if (direction && !event.altKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      const from = selection?.kind === "switch" ? selection.name : null;
      const next = from ? neighbourTowards(adjacent, at, from, direction) : (firstSwitch(at) ?? null);
      if (next) onSelect({ kind: "switch", name: next });
    } else if (event.key === "+") drawing.current?.zoomBy(1.4);
    else if (event.key === "-") drawing.current?.zoomBy(1 / 1.4);
    else if (event.key === "0") see();
    else if (event.key === "Escape" && selection) onSelect(null);
  };

  const see = () => {
    seeAll();
    onViewport(null);
  };

  return (
    <div className={`${classes.box} ${classes.graph}`}>
      <div
        ref={container}
        className={`${classes.canvas} __________cytoscape_container`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: an application handles keys
        tabIndex={0}
        role="application"
        aria-label={text.graph.label(network.switches.size, network.links.size)}
        aria-describedby="graph-keys"
        onKeyDown={onKeyDown}
        data-graph
        data-selected={selected ?? ""}
        data-nodes={shown.nodes.length}
        data-edges={shown.edges.length}
      />
      <span id="graph-keys" hidden>
        {text.graph.keys}
      </span>
      <div className={classes.tools}>
        {[
          { label: text.graph.zoomIn, icon: IconPlus, act: () => drawing.current?.zoomBy(1.4) },
          { label: text.graph.zoomOut, icon: IconMinus, act: () => drawing.current?.zoomBy(1 / 1.4) },
          { label: text.graph.showAll, icon: IconFocusCentered, act: see },
        ].map(({ label, icon: Icon, act }) => (
          <Tooltip key={label} label={label} position="left">
            <ActionIcon variant="default" aria-label={label} onClick={act}>
              <Icon size={16} />
            </ActionIcon>
          </Tooltip>
        ))}
      </div>
      {hovered && <div className={classes.hint}>{describe(network, hovered, groupsNow.current)}</div>}
    </div>
  );
}

function idOf(selection: Selection): string | null {
  if (!selection) return null;
  if (selection.kind === "link") return `l:${selection.id}`;
  return selection.kind === "switch" ? switchId(selection.name) : `h:${selection.name}`;
}

/** Visible switches whose hosts are shown; null if there are too many hosts. */
function switchesShowingHosts(
  network: Network,
  at: ReadonlyMap<string, Point>,
  cy: Drawing,
): Set<string> | null {
  const found = new Set<string>();
  let hosts = 0;
  for (const host of network.hosts.values()) {
    const point = at.get(host.switch);
    if (!point || !cy.isInSight(point)) continue;
    found.add(host.switch);
    hosts += 1;
    if (hosts > HOSTS_MOST) return null;
  }
  return found;
}

function firstSwitch(at: ReadonlyMap<string, Point>): string | undefined {
  return [...at.keys()].sort()[0];
}
