import { type NetSwitch, type Network, title } from "./network";

export interface SearchHit {
  row: NetSwitch;
  /** The host that matches, if the switch itself does not. */
  host: string | null;
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

/** Find switches by a part of their name, label or hosts, ignoring case; sorted by title. */
export function searchSwitches(network: Network, q: string, only: ReadonlySet<string> | null): SearchHit[] {
  const wanted = q.trim().toLowerCase();
  const hosts = new Map<string, string>();
  if (wanted)
    for (const { name, switch: at } of network.hosts.values())
      if (!hosts.has(at) && name.toLowerCase().includes(wanted)) hosts.set(at, name);
  const rows: SearchHit[] = [];
  for (const row of network.switches.values()) {
    if (only && !only.has(row.name)) continue;
    const own = `${row.name} ${row.label}`.toLowerCase().includes(wanted);
    if (own || hosts.has(row.name)) rows.push({ row, host: own ? null : (hosts.get(row.name) ?? null) });
  }
  return rows.sort((a, b) => collator.compare(title(a.row), title(b.row)));
}
