import { Anchor, Code, List, Slider, Text, Title } from "@mantine/core";
import { Link } from "react-router";
import type { Schemas } from "@/api/client";
import { type HostOutcome, hostOutcomes } from "@/pages/explain/explanation";
import { hopDepths } from "../map/marks";
import { switchName } from "../model/descriptions";
import type { Network } from "../model/network";
import type { Selection } from "../model/selection";

type Explanation = Schemas["Explanation"];

/** The path of an event hop by hop, who receives the event, and who does not and why. */
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
        <Text size="sm">It is not sent: {found.event.problem.replaceAll("_", " ")}.</Text>
      )}
      {found.path.length > 0 && (
        <>
          <Title order={3}>Hop by hop</Title>
          {last > 0 && (
            <Slider
              label={(value) => `after ${value} of ${last} links`}
              thumbLabel="How far it has come, in links"
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
                  <Anchor
                    component="button"
                    size="sm"
                    onClick={() => onSelect({ kind: "switch", name: hop.switch })}
                  >
                    {switchName(network, hop.switch)}
                  </Anchor>
                  {hop.entry ? (
                    <>
                      {" "}
                      meets <Code>{hop.entry.dst}</Code>
                      {hop.origin && hop.origin.kind !== "exact" ? ` (${hop.origin.kind})` : ""}, to{" "}
                      {hop.outputs
                        .map(({ port, next_switch, host }) =>
                          host ? host : next_switch ? switchName(network, next_switch) : `port ${port}`,
                        )
                        .join(", ") || "nobody"}
                    </>
                  ) : (
                    " has no entry for it"
                  )}
                </List.Item>
              ))}
          </List>
        </>
      )}
      {found.loops && <Text c="red">The event loops.</Text>}
      <Verdicts what="Received by" rows={hosts.filter(({ received }) => received)} none="Nobody gets it." />
      <Verdicts what="Not received by" rows={hosts.filter(({ received }) => !received)} none="" />
      {found.real?.same === false && (
        <>
          <Title order={3}>The switches do something else</Title>
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
        All about this event on the page Explain
      </Anchor>
    </>
  );
}

function Verdicts({ what, rows, none }: { what: string; rows: HostOutcome[]; none: string }) {
  if (rows.length === 0) return none ? <Text size="sm">{none}</Text> : null;
  return (
    <section>
      <Title order={3}>{what}</Title>
      <List size="sm" data-verdicts={what}>
        {rows.slice(0, 50).map((row) => (
          <List.Item key={row.host}>
            <strong>{row.host}</strong>: {row.detail}
          </List.Item>
        ))}
      </List>
      {rows.length > 50 && <Text size="sm">and {rows.length - 50} more hosts</Text>}
    </section>
  );
}
