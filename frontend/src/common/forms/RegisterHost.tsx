import { Button, Group, Modal, NumberInput, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "@/api/client";
import { asProblem, byField } from "@/api/problems";
import { type NetworkRequest, useNetworkRequest } from "@/api/request";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { readPage } from "@/common/tables/list";
import { text } from "@/common/text";
import { Picker } from "./Picker";

const HOSTS = "/api/v1/hosts/";
const FIELDS = ["name", "switch", "port", "ip", "mac"];

interface Port {
  number: number;
  name?: string;
}

/** Dialog that registers a host at a port of a switch. `onDone` receives the name when the request has ended. */
export function RegisterHost({ onClose, onDone }: { onClose: () => void; onDone?: (name: string) => void }) {
  const [name, setName] = useState("");
  const [at, setAt] = useState("");
  const [port, setPort] = useState<number | string>("");
  const [ip, setIp] = useState("");
  const [mac, setMac] = useState("");
  const ports = usePorts(at);
  const save = useNetworkRequest(
    async () => {
      const body = { name: name.trim(), switch: at, port: Number(port), ip: ip.trim(), mac: mac.trim() };
      return (await api.POST("/api/v1/hosts/", { body })).data as NetworkRequest;
    },
    { what: text.host.registered(name.trim(), String(port), at), refresh: [[HOSTS], ["counts"]] },
  );
  const problem = save.error ? asProblem(save.error) : null;
  const errors = problem ? byField(problem, FIELDS) : {};
  const done = () => {
    onDone?.(name.trim());
    onClose();
  };
  return (
    <Modal opened onClose={onClose} title={text.host.title} closeButtonProps={{ "aria-label": text.close }}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          event.stopPropagation(); // the dialog may be inside another form
          save.mutate(undefined, { onSuccess: done });
        }}
      >
        <Stack gap="sm">
          <TextInput
            label={text.host.name}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={errors.name}
            required
            data-autofocus
          />
          <Picker
            path="/api/v1/switches/"
            label={text.host.switch}
            value={at}
            onChange={setAt}
            error={errors.switch}
            none={text.host.noSwitch}
            required
          />
          <NumberInput
            label={text.host.port}
            description={portsText(ports) || text.host.portHelp}
            value={port}
            onChange={setPort}
            min={1}
            allowDecimal={false}
            error={errors.port}
            required
          />
          <TextInput
            label={text.host.ip}
            description={text.host.ipHelp}
            value={ip}
            onChange={(event) => setIp(event.currentTarget.value)}
            error={errors.ip}
            required
          />
          <TextInput
            label={text.host.mac}
            description={text.host.macHelp}
            value={mac}
            onChange={(event) => setMac(event.currentTarget.value)}
            error={errors.mac}
            required
          />
          {Object.keys(errors).length > 0 ? (
            <Text size="sm" c="var(--mantine-color-error)" role="alert">
              {text.host.refused}
            </Text>
          ) : (
            <ProblemAlert problem={save.error} />
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {text.cancel}
            </Button>
            <Button
              type="submit"
              loading={save.isPending}
              disabled={!(name.trim() && at && port && ip.trim() && mac.trim())}
            >
              {text.host.register}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** Ports of a switch that the controller reported. */
function usePorts(name: string): Port[] {
  const found = useQuery({
    queryKey: ["/api/v1/switches/", "ports", name],
    enabled: name !== "",
    queryFn: async ({ signal }) =>
      (await readPage<{ ports?: Port[] }>("/api/v1/switches/", { name }, signal)).results[0]?.ports ?? [],
  });
  return found.data ?? [];
}

const MOST = 12;

function portsText(ports: readonly Port[]): string {
  const named = ports.slice(0, MOST).map(({ number, name }) => (name ? `${number} (${name})` : `${number}`));
  if (named.length === 0) return "";
  return text.host.ports(named, ports.length <= MOST);
}
