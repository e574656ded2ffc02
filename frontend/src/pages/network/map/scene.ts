// The content of the drawing: switches or groups, links or bundles, hosts when zoomed in, and marks.

import type { Adjacency, Point } from "../model/neighbourhood";
import { fill, type NetLink, type NetSwitch, type Network, title } from "../model/network";
import { classesOf, fillClass, fillText, fullest, loadLevel } from "../model/scales";
import { type Group, Grouping } from "./groups";
import { hostPositions } from "./positions";

export interface SceneNode extends Point {
  id: string;
  classes: string;
  label: string;
  /** Percent of the circle that is filled. */
  share: number;
}

export interface SceneEdge {
  id: string;
  source: string;
  target: string;
  classes: string;
  label: string;
}

export interface Scene {
  nodes: SceneNode[];
  edges: SceneEdge[];
  /** Names of the switches of each group, by id of the group. */
  members: ReadonlyMap<string, readonly string[]>;
}

/** Mark of a link: `order` in the path of the event, or 0 without order; `back`: from b to a. */
export interface LinkMark {
  order: number;
  back: boolean;
}

export interface View {
  network: Network;
  at: ReadonlyMap<string, Point>;
  adjacent: Adjacency;
  /** Level of grouping; 0: no groups. */
  level: number;
  /** The only switches that are shown; null: all. */
  only: ReadonlySet<string> | null;
  /** Id of a switch, link or host in the drawing: "s:s1", "l:7", "h:h1". */
  selected: string | null;
  tree: { root: string; links: ReadonlySet<number> } | null;
  path: {
    switches: ReadonlySet<string>;
    links: ReadonlyMap<number, LinkMark>;
    hosts: ReadonlySet<string>;
  } | null;
  /** Whether the hosts of a switch are shown, and their distance from it. */
  hostsOf: (name: string) => boolean;
  hostDistance: number;
}

export const switchId = (name: string) => `s:${name}`;
export const linkId = (id: number) => `l:${id}`;
export const hostId = (name: string) => `h:${name}`;

/** Calculate the content of the drawing. */
export function sceneOf(view: View): Scene {
  const { network, only } = view;
  const shown = [...network.switches.values()].filter(({ name }) => !only || only.has(name));
  const groups = groupsOf(view, shown);
  const nodeOf = new Map<string, string>();
  const nodes: SceneNode[] = [];
  for (const group of groups) {
    const node = group.members.length > 1 ? groupNode(view, group) : switchNode(view, group.members[0] ?? "");
    if (node) nodes.push(node);
    for (const name of group.members) nodeOf.set(name, node?.id ?? "");
  }
  const edges = edgesOf(view, nodeOf);
  const hosts = hostParts(view, nodeOf);
  const members = new Map(groups.filter((one) => one.members.length > 1).map((one) => [one.id, one.members]));
  return { nodes: [...nodes, ...hosts.nodes], edges: [...edges, ...hosts.edges], members };
}

/** Switches that are never in a group: those of the selection and of the path. */
function ungroupedSwitches({ selected, path, network }: View): Set<string> {
  const names = new Set(path?.switches ?? []);
  const [kind, rest = ""] = selected ? [selected[0], selected.slice(2)] : [];
  if (kind === "s") names.add(rest);
  if (kind === "h") names.add(network.hosts.get(rest)?.switch ?? "");
  if (kind === "l") {
    const link = network.links.get(Number(rest));
    if (link) names.add(link.a).add(link.b);
  }
  return names;
}

function groupsOf(view: View, shown: readonly NetSwitch[]): readonly Group[] {
  const apart = ungroupedSwitches(view);
  const [alone, others] = [true, false].map((wanted) =>
    shown.filter(({ name }) => apart.has(name) === wanted).map(({ name }) => name),
  );
  return [...groupingOf(view.at, others ?? []).at(view.level), ...groupingOf(view.at, alone ?? []).at(0)];
}

const KEPT = 4; // sets of switches
const known = new WeakMap<View["at"], Map<string, Grouping>>();

/** Groups of some switches; calculated once for the same switches at the same positions. */
function groupingOf(at: View["at"], names: readonly string[]): Grouping {
  const key = names.join("\0");
  const own = known.get(at) ?? new Map<string, Grouping>();
  known.set(at, own);
  const found =
    own.get(key) ??
    new Grouping(
      names.flatMap((name) => {
        const point = at.get(name);
        return point ? [{ name, ...point }] : [];
      }),
    );
  own.delete(key);
  own.set(key, found); // the newest is last
  for (const old of own.keys()) if (own.size > KEPT) own.delete(old);
  return found;
}

function switchNode(view: View, name: string): SceneNode | null {
  const row = view.network.switches.get(name);
  const point = view.at.get(name);
  if (!row || !point) return null;
  const share = fill(row);
  const marks = [
    classesOf(row),
    view.selected === switchId(name) ? "selected" : "",
    view.tree?.root === name ? "root" : "",
    isFaded(view, [name]) ? "faded" : "",
    view.path?.switches.has(name) ? "on-path" : "",
  ];
  const label = share === null ? title(row) : `${title(row)}\n${fillText(share)}`;
  return {
    id: switchId(name),
    ...point,
    classes: join(marks),
    label,
    share: percent(share),
  };
}

function groupNode(view: View, { id, members, x, y }: Group): SceneNode {
  const rows = members.flatMap((name) => view.network.switches.get(name) ?? []);
  const share = fullest(rows);
  const trouble = rows.some((row) => !row.up || !row.connected) ? "troubled" : "";
  const size = members.length >= 50 ? "large" : members.length >= 10 ? "middling" : "";
  const faded = isFaded(view, members) ? "faded" : "";
  return {
    id,
    x,
    y,
    classes: join(["group", `fill-${fillClass(share)}`, size, trouble, faded]),
    label: String(members.length),
    share: percent(share),
  };
}

/** Whether none of some switches is in the marked tree or path. */
function isFaded({ tree, path, network }: View, names: readonly string[]): boolean {
  if (path) return !names.some((name) => path.switches.has(name));
  if (!tree) return false;
  if (names.includes(tree.root)) return false;
  const own = new Set(names);
  for (const id of tree.links) {
    const link = network.links.get(id);
    if (link && (own.has(link.a) || own.has(link.b))) return false;
  }
  return true;
}

function edgesOf(view: View, nodeOf: ReadonlyMap<string, string>): SceneEdge[] {
  const pairs = new Map<string, NetLink[]>();
  for (const link of view.network.links.values()) {
    const [a, b] = [nodeOf.get(link.a), nodeOf.get(link.b)];
    if (!a || !b || a === b) continue;
    const key = a < b ? `${a}|${b}` : `${b}|${a}`;
    const list = pairs.get(key);
    if (list) list.push(link);
    else pairs.set(key, [link]);
  }
  const edges: SceneEdge[] = [];
  for (const [key, links] of pairs) {
    if (!key.includes("group:"))
      edges.push(...links.map((link) => linkEdge(view, link, links.length > 1 ? "parallel" : "")));
    else edges.push(bundle(view, key, links, nodeOf));
  }
  return edges;
}

function linkEdge(view: View, link: NetLink, more: string): SceneEdge {
  const mark = view.path?.links.get(link.id);
  const inTree = view.tree?.links.has(link.id) ?? false;
  const unmarked = view.path ? !mark : view.tree ? !inTree : false;
  return {
    id: linkId(link.id),
    source: switchId(link.a),
    target: switchId(link.b),
    classes: join([
      "link",
      link.up ? `load-${loadLevel(link.load)}` : "down",
      view.selected === linkId(link.id) ? "selected" : "",
      mark ? (mark.back ? "path path-back" : "path path-on") : inTree ? "in-tree" : "",
      unmarked ? "faded" : "",
      more,
    ]),
    label: mark && mark.order > 0 ? String(mark.order) : "",
  };
}

/** Links between groups as one edge, with the highest load; it is down if all links are down. */
function bundle(
  view: View,
  key: string,
  links: readonly NetLink[],
  nodeOf: ReadonlyMap<string, string>,
): SceneEdge {
  const level = Math.max(...links.map((link) => loadLevel(link.load)));
  const inTree = links.some(({ id }) => view.tree?.links.has(id));
  const first = links[0];
  return {
    id: `b:${key}`,
    source: nodeOf.get(first?.a ?? "") ?? "",
    target: nodeOf.get(first?.b ?? "") ?? "",
    classes: join([
      "link bundle",
      links.every(({ up }) => !up) ? "down" : `load-${level}`,
      inTree ? "in-tree" : "",
      view.path || (view.tree && !inTree) ? "faded" : "",
    ]),
    label: links.length > 1 ? `×${links.length}` : "",
  };
}

function hostParts(view: View, nodeOf: ReadonlyMap<string, string>): Omit<Scene, "members"> {
  const wanted = [...view.network.hosts.values()].filter(
    (host) =>
      nodeOf.get(host.switch) === switchId(host.switch) &&
      (view.hostsOf(host.switch) || view.path?.hosts.has(host.name) || view.selected === hostId(host.name)),
  );
  const places = hostPositions(wanted, view.at, view.adjacent, view.hostDistance);
  const nodes: SceneNode[] = [];
  const edges: SceneEdge[] = [];
  for (const { name, switch: at } of wanted) {
    const point = places.get(name);
    if (!point) continue;
    const id = hostId(name);
    const marks = [
      view.selected === id ? "selected" : "",
      view.path?.hosts.has(name) ? "on-path" : view.path || view.tree ? "faded" : "",
    ];
    nodes.push({ id, ...point, classes: join(["host", ...marks]), label: name, share: 0 });
    edges.push({
      id: `hl:${name}`,
      source: switchId(at),
      target: id,
      classes: join(["host-link", ...marks]),
      label: "",
    });
  }
  return { nodes, edges };
}

const join = (classes: readonly string[]) => classes.filter(Boolean).join(" ");
const percent = (share: number | null) => (share === null ? 0 : Math.round(100 * Math.min(share, 1)));
