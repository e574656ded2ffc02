import { Anchor, Badge, Table, Text } from "@mantine/core";
import type { Schemas } from "@/api/client";
import { switchName } from "../model/descriptions";
import { farEnd, type Network } from "../model/network";
import { peersByPort } from "../model/ports";
import { loadText } from "../model/scales";
import type { Selection } from "../model/selection";
import { text } from "../text";

const { ports: texts } = text;

/** Ports of a switch: the connected switch or hosts, and the state. */
export function Ports({
  name,
  ports,
  network,
  onSelect,
}: {
  name: string;
  ports: readonly Schemas["Port"][];
  network: Network;
  onSelect: (selection: Selection) => void;
}) {
  const far = peersByPort(network, name);
  const known = new Map(ports.map((port) => [port.number, port]));
  const numbers = [...new Set([...known.keys(), ...far.keys()])].sort((a, b) => a - b);
  if (numbers.length === 0) return <Text size="sm">{texts.none}</Text>;
  return (
    <Table aria-label={texts.table(name)} fz="sm">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{texts.port}</Table.Th>
          <Table.Th>{texts.peer}</Table.Th>
          <Table.Th>{texts.state}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {numbers.map((number) => {
          const { link, hosts } = far.get(number) ?? { link: null, hosts: [] };
          const port = known.get(number);
          return (
            <Table.Tr key={number}>
              <Table.Td>
                {number}
                {port?.name && (
                  <Text size="xs" c="dimmed">
                    {port.name}
                  </Text>
                )}
              </Table.Td>
              <Table.Td>
                {link && (
                  <>
                    <Anchor
                      component="button"
                      size="sm"
                      onClick={() => onSelect({ kind: "switch", name: farEnd(link, name) })}
                    >
                      {switchName(network, farEnd(link, name))}
                    </Anchor>{" "}
                    <Anchor
                      component="button"
                      size="xs"
                      c="dimmed"
                      onClick={() => onSelect({ kind: "link", id: link.id })}
                      aria-label={texts.linkTo(switchName(network, farEnd(link, name)))}
                    >
                      {link.up ? loadText(link.load) : texts.linkDown}
                    </Anchor>
                  </>
                )}
                {hosts.map((host) => (
                  <Anchor
                    key={host.name}
                    component="button"
                    size="sm"
                    onClick={() => onSelect({ kind: "host", name: host.name })}
                  >
                    {host.name}
                  </Anchor>
                ))}
                {!link && hosts.length === 0 && (
                  <Text size="sm" c="dimmed">
                    {texts.unknown}
                  </Text>
                )}
              </Table.Td>
              <Table.Td>
                {port ? (
                  <Badge size="sm" variant="light" color={port.up ? "green" : "red"}>
                    {port.up ? text.up : text.down}
                  </Badge>
                ) : (
                  texts.unknown
                )}
              </Table.Td>
            </Table.Tr>
          );
        })}
      </Table.Tbody>
    </Table>
  );
}
