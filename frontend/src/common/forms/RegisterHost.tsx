import { Button, Group, Modal, NumberInput, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "@/api/client";
import { asProblem, byField } from "@/api/problems";
import { type NetworkRequest, useNetworkRequest } from "@/api/request";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { readPage } from "@/common/tables/list";
import { Picker } from "./Picker";

const HOSTS = "/api/v1/hosts/";
const FIELDS = ["name", "switch", "port", "ip", "mac"];

interface Port {
  number: number;
  name?: string;
}

/** Registers a host at a port of a switch; `onDone` gets its name when the planner has taken it in. */
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
    { what: `Host ${name.trim()} is registered at port ${port} of ${at}.`, refresh: [[HOSTS], ["counts"]] },
  );
  const problem = save.error ? asProblem(save.error) : null;
  const errors = problem ? byField(problem, FIELDS) : {};
  const done = () => {
    onDone?.(name.trim());
    onClose();
  };
  return (
    <Modal opened onClose={onClose} title="Register a host" closeButtonProps={{ "aria-label": "Close" }}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          event.stopPropagation(); // it may stand within another form
          save.mutate(undefined, { onSuccess: done });
        }}
      >
        <Stack gap="sm">
          <TextInput
            label="Name"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={errors.name}
            required
            data-autofocus
          />
          <Picker
            path="/api/v1/switches/"
            label="Switch"
            value={at}
            onChange={setAt}
            error={errors.switch}
            none="No switch is called like that."
            required
          />
          <NumberInput
            label="Port"
            description={portsText(ports) || "The number that the switch gives the port where the host is."}
            value={port}
            onChange={setPort}
            min={1}
            allowDecimal={false}
            error={errors.port}
            required
          />
          <TextInput
            label="IP address"
            description="The last switch sends events there, like fd00::1."
            value={ip}
            onChange={(event) => setIp(event.currentTarget.value)}
            error={errors.ip}
            required
          />
          <TextInput
            label="MAC address"
            description="Of the host's interface, like 02:00:00:00:00:01."
            value={mac}
            onChange={(event) => setMac(event.currentTarget.value)}
            error={errors.mac}
            required
          />
          {Object.keys(errors).length > 0 ? (
            <Text size="sm" c="var(--mantine-color-error)" role="alert">
              It was not registered; what is wrong is told at the fields.
            </Text>
          ) : (
            <ProblemAlert problem={save.error} />
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              loading={save.isPending}
              disabled={!(name.trim() && at && port && ip.trim() && mac.trim())}
            >
              Register
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** The ports that the controller knows of a switch. */
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
  return `It has ${named.join(", ")}${ports.length > MOST ? ", …" : ""}.`;
}
