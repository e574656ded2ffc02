import { Anchor, Code, List, Slider, Text, Title } from "@mantine/core";
import { Link } from "react-router";
import type { Schemas } from "@/api/client";
import { type HostOutcome, hostOutcomes } from "@/pages/explain/explanation";
import { hopDepths } from "../map/marks";
import { switchName } from "../model/descriptions";
import type { Network } from "../model/network";
import type { Selection } from "../model/selection";
import { text } from "../text";

type Explanation = Schemas["Explanation"];

const { path: texts } = text;
const HOSTS = 50; // that are listed

/** Path of an event hop by hop, the hosts that receive it, and the hosts that do not, with the reason. */
export function PathAnswer({
  found,
  network,
  step,
  onStep,
  onSelect,
}: {
  found: Explanation;
  network: Network;
  step: number | null;
  onStep: (step: number) => void;
  onSelect: (selection: Selection) => void;
}) {
  const depth = hopDepths(found.path);
  const last = Math.max(0, ...depth);
  const hosts = hostOutcomes(found);
  return (
    <>
      {found.event.problem && (
        <Text size="sm">{texts.problem(found.event.problem.replaceAll("_", " "))}</Text>
      )}
      {found.path.length > 0 && (
        <>
          <Title order={3}>{texts.heading}</Title>
          {last > 0 && (
            <Slider
              label={(value) => texts.afterLinks(value, last)}
              thumbLabel={texts.slider}
              min={0}
              max={last}
              value={step ?? last}
              onChange={onStep}
              px="xs"
            />
          )}
          <List size="sm" type="ordered" data-hops>
            {found.path
              .filter(({ hop }) => (depth[hop] ?? 0) <= (step ?? last))
              .map((hop) => (
                <List.Item key={hop.hop}>
                  <HopText hop={hop} network={network} onSelect={onSelect} />
                </List.Item>
              ))}
          </List>
        </>
      )}
      {found.loops && <Text c="red">{texts.loops}</Text>}
      <Verdicts received rows={hosts.filter(({ received }) => received)} />
      <Verdicts received={false} rows={hosts.filter(({ received }) => !received)} />
      {found.real?.same === false && (
        <>
          <Title order={3}>{texts.differences}</Title>
          <List size="sm">
            {found.real.differences.map((one) => (
              <List.Item key={one.switch + one.kind}>{one.detail}</List.Item>
            ))}
          </List>
        </>
      )}
      <Anchor
        component={Link}
        size="sm"
        to={`/explain?${new URLSearchParams({ publisher: found.event.advertisement ?? found.event.publisher ?? "", values: JSON.stringify(found.event.values) })}`}
      >
        {texts.explain}
      </Anchor>
    </>
  );
}

function HopText({
  hop,
  network,
  onSelect,
}: {
  hop: Explanation["path"][number];
  network: Network;
  onSelect: (selection: Selection) => void;
}) {
  const name = (
    <Anchor component="button" size="sm" onClick={() => onSelect({ kind: "switch", name: hop.switch })}>
      {switchName(network, hop.switch)}
    </Anchor>
  );
  if (!hop.entry) return texts.noEntry(name);
  const kind = hop.origin && hop.origin.kind !== "exact" ? hop.origin.kind : null;
  const outputs = hop.outputs.map(({ port, next_switch, host }) =>
    host ? host : next_switch ? switchName(network, next_switch) : texts.port(port),
  );
  return texts.hop(name, <Code>{hop.entry.dst}</Code>, kind && (texts.kinds[kind] ?? kind), outputs);
}

function Verdicts({ received, rows }: { received: boolean; rows: HostOutcome[] }) {
  if (rows.length === 0) return received ? <Text size="sm">{texts.nobody}</Text> : null;
  return (
    <section>
      <Title order={3}>{received ? texts.received : texts.notReceived}</Title>
      <List size="sm" data-verdicts={received ? "received" : "not-received"}>
        {rows.slice(0, HOSTS).map((row) => (
          <List.Item key={row.host}>{texts.verdict(<strong>{row.host}</strong>, row.detail)}</List.Item>
        ))}
      </List>
      {rows.length > HOSTS && <Text size="sm">{texts.moreHosts(rows.length - HOSTS)}</Text>}
    </section>
  );
}
