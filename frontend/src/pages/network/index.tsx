import { Button, Group, Loader, SegmentedControl, Stack, Text } from "@mantine/core";
import { lazy, Suspense, useCallback, useEffect, useMemo, useReducer, useRef, useState } from "react";
import { Link } from "react-router";
import { useAddress } from "@/common/address";
import { Empty } from "@/common/layout/Empty";
import { PageHeader } from "@/common/layout/PageHeader";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { Counters } from "./Counters";
import { useExplanation } from "./event_path/pathQuestion";
import { Legend } from "./map/Legend";
import { pathMarks, pathNotes, treeMarks, treeNotes } from "./map/marks";
import { positions } from "./map/positions";
import { TreeDescription, TreePicker, useTree } from "./map/TreePicker";
import { formatViewport, parseViewport } from "./map/viewport";
import { adjacency, withinHops } from "./model/neighbourhood";
import type { Network } from "./model/network";
import { type Selection, usePathQuestion, useSelection } from "./model/selection";
import { useNetwork } from "./model/useNetwork";
import classes from "./network.module.css";
import { SwitchList } from "./SwitchList";
import { text } from "./text";

// Cytoscape is the largest part of the page, and the details are not shown at first: both load separately.
const Graph = lazy(async () => ({ default: (await import("./map/Graph")).Graph }));
const Panel = lazy(async () => ({ default: (await import("./panels/Panel")).Panel }));
const EventPath = lazy(async () => ({ default: (await import("./event_path/EventPath")).EventPath }));

const HOPS = [
  { value: "", label: text.hops.all },
  { value: "1", label: text.hops.one },
  { value: "2", label: text.hops.two },
  { value: "3", label: text.hops.three },
];
const LOADING = <Loader role="status" size="sm" aria-label={text.loading} />;
const KEPT = ["tab", "hops", "topic", "dz"]; // parameters that stay when another switch is selected
const NEWS = 3; // changes that are announced one by one

/** The topology, the list of its switches, and details of the selected object. */
export function Component() {
  const [said, setSaid] = useState("");
  const {
    data: network,
    error,
    refetch,
    watched,
  } = useNetwork((sentences) => setSaid(announcementOf(sentences)));
  if (error && !network)
    return (
      <>
        <PageHeader title={text.title} />
        <ProblemAlert problem={error} retry={refetch} />
      </>
    );
  if (!network)
    return (
      <>
        <PageHeader title={text.title} />
        <Loader role="status" aria-label={text.loading} />
      </>
    );
  if (network.switches.size === 0)
    return (
      <>
        <PageHeader title={text.title} />
        <Empty cause={text.none}>
          <Button component={Link} to="/welcome">
            {text.setUp}
          </Button>
        </Empty>
      </>
    );
  return (
    <>
      <Topology network={network} watched={watched} />
      <span role="status" className={classes.spoken} data-news>
        {said}
      </span>
    </>
  );
}

function Topology({
  network,
  watched,
}: {
  network: Network;
  watched: ReturnType<typeof useNetwork>["watched"];
}) {
  const [selection, select] = useSelection();
  const [q, setQ] = useAddress("q");
  const [hops, setHops] = useAddress("hops");
  const [view, setView] = useAddress("view");
  const list = useRef<HTMLDivElement>(null);

  const shape = shapeOf(network);
  // biome-ignore lint/correctness/useExhaustiveDependencies: loads and entries do not change positions
  const { at, adjacent } = useMemo(
    () => ({
      at: positions(network),
      adjacent: adjacency(network.switches.values(), network.links.values()),
    }),
    [shape],
  );
  const centre = selection?.kind === "switch" ? selection.name : null;
  const only = useMemo(() => {
    const count = Number(hops);
    return centre && count >= 1 && count <= 3 && adjacent.has(centre)
      ? new Set(withinHops(adjacent, centre, count).keys())
      : null;
  }, [adjacent, centre, hops]);
  const [treeId, setTreeId] = useAddress("tree");
  const asked = useTree(treeId);
  const { tree } = asked;
  const drawnTree = useMemo(() => tree && treeMarks(network, tree), [network, tree]);
  const following = usePathQuestion();
  const answer = useExplanation(following.question);
  const path = useMemo(
    () => (following.on && answer.data ? pathMarks(network, answer.data, following.step ?? undefined) : null),
    [network, answer.data, following.on, following.step],
  );
  const marked = useMemo(
    () => (path ? pathNotes(path, network) : drawnTree ? treeNotes(drawnTree, network) : new Map()),
    [path, drawnTree, network],
  );
  const viewport = useMemo(() => parseViewport(view), [view]);

  const wanted = useRef<string | null>(null); // the switch whose details get the focus when they are shown
  const [, wake] = useReducer((count: number) => count + 1, 0);
  const panel = useRef<HTMLHeadingElement>(null);
  const heading = useCallback((shown: HTMLHeadingElement | null) => {
    panel.current = shown;
    if (shown && wanted.current !== null) wake(); // the details were loaded after they were asked for
  }, []);
  const toPanel = (name: string) => {
    wanted.current = name;
    wake();
  };
  useEffect(() => {
    if (wanted.current === null || wanted.current !== centre || !panel.current) return;
    wanted.current = null;
    panel.current.focus();
  });
  const choose = (next: Selection) => select(next, next?.kind === "switch" ? KEPT : []);

  return (
    <Stack gap={10}>
      <PageHeader title={text.title}>
        <TreePicker network={network} value={treeId} onPick={setTreeId} />
        <Button
          size="xs"
          variant={following.on ? "filled" : "default"}
          aria-pressed={following.on}
          onClick={() => following.set(following.on ? null : {})}
        >
          {text.traceEvent}
        </Button>
        {centre && (
          <Group gap={6}>
            <Text size="sm" c="dimmed" id="hops">
              {text.hopsLabel}
            </Text>
            <SegmentedControl
              size="xs"
              data={HOPS}
              value={only ? hops : ""}
              onChange={setHops}
              aria-labelledby="hops"
            />
          </Group>
        )}
      </PageHeader>
      <Counters network={network} />
      <TreeDescription network={network} {...asked} />
      <div className={classes.columns} data-panel={selection || following.on ? "" : undefined}>
        <SwitchList
          network={network}
          adjacent={adjacent}
          at={at}
          only={only}
          marked={marked}
          selected={centre}
          q={q}
          onSearch={setQ}
          onSelect={(name) => choose({ kind: "switch", name })}
          onEnter={toPanel}
          list={list}
        />
        <Suspense fallback={<div className={`${classes.box} ${classes.graph}`} />}>
          <Graph
            network={network}
            at={at}
            adjacent={adjacent}
            selection={selection}
            onSelect={choose}
            only={only}
            tree={path ? null : drawnTree}
            path={path}
            viewport={viewport}
            onViewport={(now) => setView(now && formatViewport(now))}
          />
        </Suspense>
        {!selection && following.on && (
          <section
            className={`${classes.box} ${classes.panel}`}
            aria-label={text.details}
            data-panel-of="path"
          >
            <Suspense fallback={LOADING}>
              <EventPath
                network={network}
                question={following.question}
                onAsk={(question) => following.set({ ...question, step: null })}
                answer={answer}
                step={following.step}
                onStep={(step) => following.set({ step: String(step) })}
                onSelect={choose}
                onClose={() => following.set(null)}
                heading={heading}
              />
            </Suspense>
          </section>
        )}
        {selection && (
          <Suspense fallback={<div className={`${classes.box} ${classes.panel}`}>{LOADING}</div>}>
            <Panel
              network={network}
              watched={watched}
              adjacent={adjacent}
              selection={selection}
              onSelect={choose}
              heading={heading}
              onClose={() => {
                choose(null);
                list.current?.focus();
              }}
            />
          </Suspense>
        )}
      </div>
      <Legend tree={tree !== null} path={path !== null} />
    </Stack>
  );
}

/** Text that changes exactly when switches, links or positions change. */
function shapeOf({ switches, links }: Network): string {
  const places = [...switches.values()].map(({ name, x, y }) => `${name} ${x} ${y}`);
  const ends = [...links.values()].map(({ id, a, b }) => `${id} ${a} ${b}`);
  return `${places.join()};${ends.join()}`;
}

function announcementOf(sentences: readonly string[]): string {
  return text.news(sentences.slice(0, NEWS), sentences.length - NEWS);
}
