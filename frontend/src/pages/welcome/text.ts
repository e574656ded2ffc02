import { formatQuantity } from "@/common/formatting/figures";

/** Texts of the page "Welcome". */
export const text = {
  title: "Welcome to Tercast",
  introduction:
    "Publishers advertise events, and subscribers register filters. Switches forward each event to the hosts with a matching filter. Start by choosing a network.",
  choices: {
    label: "Networks",
    demo: {
      title: "Demo network",
      about:
        "Eleven switches across the United States with a stream of stock quotes. It is ready within a minute.",
    },
    import: {
      title: "Import a topology file",
      about:
        "Files in GraphML, GML, JSON and other formats, for example of Topology Zoo, networkx, Mininet, SNDlib, Rocketfuel and BRITE.",
    },
    connect: {
      title: "Connect real switches",
      about:
        "Switches with OpenFlow 1.3, for example Open vSwitch. Configure the address of the controller on the switches. Then they appear here.",
    },
  },
  demo: {
    title: "Demo network",
    states: {
      absent: "Not available. To use the demo network, start the platform with make run.",
      offered: "Ready",
      starting: "Starting…",
      running: "Running",
      stopping: "Stopping…",
      failed: "The demo did not start.",
    } as Record<string, string>,
    progress: "Progress of the start",
    fixed: "The demo was started with make run. It ends when make run ends.",
    start: "Start the demo network",
    retry: "Try again",
    stop: "Stop the demo",
    readOnly: "Only operators can start the demo.",
  },
  import: {
    title: "Import a topology file",
    docs: "Documentation: import a topology",
    readOnly: "Only operators can import a topology.",
    file: "File",
    filePlaceholder: "Select a file",
    removeFile: "Remove the file",
    hosts: "Hosts to add per switch",
    format: "Format",
    formatPlaceholder: "automatic",
    preview: "Preview",
    import: "Import",
    atomic: "Import only if all objects are valid",
    summary: (format: string, switches: number, links: number, hosts: number) =>
      `The ${format} file contains ${formatQuantity(switches, "switch", "switches")}, ${formatQuantity(links, "link")} and ${formatQuantity(hosts, "host")}. Nothing is changed yet.`,
    noRepairs: "The file needs no correction.",
    repairs: (count: number) =>
      count === 1 ? "1 correction of the file" : `${count.toLocaleString()} corrections of the file`,
    showAll: "Show all",
    showFewer: "Show fewer",
    refused: (count: number) => `${formatQuantity(count, "object")} cannot be imported`,
    imported: (active: number, total: number) =>
      `${active.toLocaleString()} of ${formatQuantity(total, "object")} imported`,
    importing: (total: number) => `Importing ${formatQuantity(total, "object")}…`,
    progress: "Progress of the import",
    failed: (count: number) => `${formatQuantity(count, "request")} failed.`,
    reasons: "Show the reasons",
    connect: "The switches are not connected yet.",
    connectLink: "Show the commands for the switches",
  },
  connect: {
    title: "Connect real switches",
    address: "Configure this address of the controller on the switches:",
    addressObject: "the address",
    command: "On Open vSwitch, run this command. Replace BRIDGE with the name of the bridge:",
    commandObject: "the command",
    commandOf: (name: string) => `the command for ${name}`,
    discovery:
      "If you do not register a switch, the platform adds it 20 seconds after it connects. Its name is then its datapath id. The platform also adds links between switches, or lists them for approval (page Health and audit, tab Found links). Then register hosts below, or allow hosts to register themselves (page Health and audit, tab Signalling).",
    docs: "Documentation: connect real switches",
    noSwitch: "No switch is registered yet.",
    connected: (connected: number, total: number) =>
      `${connected.toLocaleString()} of ${total.toLocaleString()} registered switches are connected.`,
    unknown: (count: number) =>
      count === 1
        ? "1 connected switch is not registered yet:"
        : `${count.toLocaleString()} connected switches are not registered yet:`,
    from: (address: string) => `from ${address}`,
    waiting: "Registered switches that are not connected:",
  },
  steps: {
    label: "Getting started",
    done: "done",
    open: "to do",
    count: (title: string, count: number) => `${title} (${count.toLocaleString()})`,
    titles: {
      switches: "Add a network of switches",
      hosts: "Connect hosts to the switches",
      topics: "Create a topic: the attributes of events",
      advertisements: "Register a publisher with an advertisement",
      subscriptions: "Register a subscriber with a subscription",
    },
    actions: {
      switches: "Open the network",
      hosts: "Register a host",
      topics: "Create a topic",
      advertisements: "Register a publisher",
      subscriptions: "Register a subscriber",
    },
    anotherHost: "Register another host",
    network: "Open the network",
  },
  event: {
    title: "Send an event and see which hosts receive it",
    publisher: "Publisher",
    choice: (publisher: string, topic: string, name: string) => `${publisher}: ${topic} (${name})`,
    filter: (filter: string) => `Advertised events: ${filter}`,
    anyEvent: "Advertised events: all events of the topic",
    event: "Event",
    eventHelp: "A JSON object with a value for each attribute of the topic",
    send: "Send the event",
    delivered: (hosts: number) =>
      `Delivered to ${formatQuantity(hosts, "host")} with a matching subscription`,
    noMatch: "No subscription matches the event",
    match: (host: string, ms: string, subscriptions: string) => `${host}, after ${ms} ms (${subscriptions})`,
    falsePositive: (host: string, ms: string) => `${host}, after ${ms} ms: false positive`,
    dropped: "A switch dropped the event, because no subscription matches it.",
  },
  own: {
    title: "Send an event and see its delivery",
    notReady:
      "You need a publisher with an advertisement, and a subscriber with a subscription to the same topic. The advertisement and the subscription must be active, and at least one event must match both filters.",
    requests: "Show the progress of their requests",
    commands: "Install Tercast on your hosts, and run these commands there.",
    token: "Replace TOKEN with the path of a file that contains a token.",
    createToken: "Create a token",
    interface: "Replace INTERFACE with the host's network interface to its switch.",
    listen: (subscriber: string) => `On the host of subscriber ${subscriber}, listen:`,
    listenObject: "the command that listens",
    publish: (publisher: string) => `On the host of publisher ${publisher}, publish:`,
    publishObject: "the command that publishes",
    result: "The command tercast listen prints the event and its delay.",
    explain: "Explain a missing event",
    more: "More about the commands",
  },
};
