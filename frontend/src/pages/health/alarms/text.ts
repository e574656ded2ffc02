/** Titles, meanings and remedies of alarms. */
export const text = {
  active: {
    duplicate_dpid: {
      title: "Two switches with the same datapath id",
      meaning: "The controller refused the second switch. The first one stays connected.",
      remedy:
        "Give one of the switches another datapath id. The alarm ends 60 s after the last attempt to connect.",
    },
    openflow_version: {
      title: "A switch without OpenFlow 1.3",
      meaning: "The controller refused the switch.",
      remedy: "Configure the switch to use OpenFlow 1.3 (Open vSwitch: protocols=OpenFlow13).",
    },
    bad_dpid: {
      title: "A switch with datapath id 0",
      meaning: "The controller refused the switch.",
      remedy: "Set a datapath id on the switch.",
    },
    broken_connection: {
      title: "A peer that does not use OpenFlow",
      meaning: "A peer sent invalid data or an unknown OpenFlow version.",
      remedy: "Find the program or switch at this address that connects to the port of the controller.",
    },
    untrusted_switch: {
      title: "A switch without a valid certificate",
      meaning: "The controller uses TLS and refused the connection.",
      remedy: "Give the switch a certificate of the authority, or find the peer at this address.",
    },
    unproved_switch: {
      title: "A switch with the wrong certificate",
      meaning:
        "The certificate does not prove the datapath id of the switch. The controller refused the switch.",
      remedy: "Follow the remedy in the details of the alarm.",
    },
    too_many_connections: {
      title: "Too many connections to the controller",
      meaning: "A limit on connections is reached. The controller refused a peer.",
      remedy: "Find the peer that opens the connections. If all peers are your switches, raise the limit.",
    },
    resources_exhausted: {
      title: "The controller has no free resources",
      meaning: "A part of the controller has no file descriptor or memory left. It tries again every 0.5 s.",
      remedy:
        "Raise LimitNOFILE or the memory of the controller. The alarm ends 60 s after the last failed attempt.",
    },
    setup_failed: {
      title: "A switch that does not respond",
      meaning: "The switch did not respond after its handshake, and the controller closed the connection.",
      remedy: "The alarm ends when the switch connects. If it does not connect, read the log of the switch.",
    },
    switch_problem: {
      title: "A switch without a required feature",
      meaning: "The switch does not have a feature that Tercast needs, or refused it.",
      remedy: "Read the problems of the switch in the tab Switches. The alarm ends when they are solved.",
    },
    late_error: {
      title: "A switch refused a change after it had confirmed it",
      meaning: "The table of the switch may differ from the plan.",
      remedy: "Audit the switch. The audit lists and repairs differences.",
    },
    signalling_flood: {
      title: "A host sends too many control messages",
      meaning: "The controller drops messages beyond the share of the host.",
      remedy: "Check the host at this port. docs/signalling.md lists the shares.",
    },
    link_silent: {
      title: "Probes no longer cross a link",
      meaning:
        "The ports of the link are up. The link stays in use, because lost probes do not prove that events are lost.",
      remedy:
        "Check whether the link forwards packets. If it does not, take it out of service on the page Network. Trees then avoid it.",
    },
    link_unprobed: {
      title: "No probe has crossed a link",
      meaning:
        "The link is in the network and its ports are up. But discovery has not seen it since the controller started.",
      remedy:
        "Check whether the cable connects the ports of the topology. The link stays in use until a port goes down.",
    },
    probe_flood: {
      title: "A host sends too many LLDP frames",
      meaning:
        "The controller drops frames beyond the share of the port. Links at other ports are not affected.",
      remedy: "Find the host at this port, or disable the port.",
    },
    bad_probe: {
      title: "A discovery probe that is not genuine",
      meaning:
        "The probe has no seal, the seal of another key, or was recorded and sent again. The controller ignores it.",
      remedy:
        "Check the device at this port: a host that forges probes, or a switch of another installation.",
    },
    probe_at_edge: {
      title: "A probe arrived at the port of a host",
      meaning: "The host relays probes, or the port is connected to a switch. Such a link needs approval.",
      remedy: "Check the host at this port, and whether it is declared at the correct port.",
    },
    links_waiting: {
      title: "Found links wait for approval",
      meaning: "Probes cross links that are not declared. The links are not used.",
      remedy: "Approve or reject them in the tab Found links.",
    },
    shared_segment: {
      title: "Several ports respond at one port",
      meaning: "A hub, or a switch that floods probes, is between the ports. This does not become a link.",
      remedy: "Connect the switches directly.",
    },
    aggregation_cost: {
      title: "Merged entries with an unexpected cost",
      meaning:
        "The measured and the expected number of redundant copies differ by more than a factor of two.",
      remedy:
        "If there are more copies than expected, aggregate again on the page Budgets. If there are fewer, do nothing.",
    },
    out_of_reach: {
      title: "Subscriptions without a path to their publishers",
      meaning:
        "Announcements match, but no path of links and switches in service connects their hosts. Events do not arrive.",
      remedy:
        "Add a link, or repair the link or switch that is down (page Network). The alarm then ends automatically.",
    },
    unrepaired: {
      title: "A table that no audit could repair",
      meaning: "The entries of the switch differ from the plan.",
      remedy:
        "Read the reason in the details. The alarm ends after an audit that repairs the table or finds no difference.",
    },
    disk_low: {
      title: "A disk that is nearly full",
      meaning: "Writes are refused when the disk is full.",
      remedy: "Free space on the disk, or move the directory to another disk.",
    },
    bad_schedule: {
      title: "A periodic task that cannot run",
      meaning: "The worker skips the task. All other tasks continue.",
      remedy: "Correct the task on the admin pages, or disable it.",
    },
    skipped: {
      title: "A row that a periodic task skips",
      meaning: "The task fails for this row, and continues with the others.",
      remedy: "Read the reason in the details. The log of the worker contains the traceback.",
    },
    task_fails: {
      title: "A periodic task that fails repeatedly",
      meaning: "The work of the task is not done.",
      remedy: "Read the error in the details. The log of the worker contains the traceback.",
    },
  },
  past: {
    audit: {
      title: "An audit found a difference",
      meaning: "Another program changed the table, or the switch lost entries.",
      remedy: "Open the audit. It lists each entry. An audit with repair makes the table equal to the plan.",
    },
    sourceCheck: {
      title: "Events with a wrong source address",
      meaning: "The switch dropped events whose source address is not registered at the port.",
      remedy:
        "Find the sender. Register its addresses, move the host (page Network), or disconnect the port.",
    },
    database: {
      title: "A process could not write to the database",
      meaning:
        "The process had no database, disk space, file descriptor or memory in that time. Accepted requests will be executed.",
      remedy: "Find the cause. Check the database and the disk.",
    },
    connections: {
      title: "A web process refused connections",
      meaning: "The process has few free file descriptors. Callers received 503 with Retry-After.",
      remedy: "Raise LimitNOFILE, or find the client that keeps connections open.",
    },
    silentWriter: {
      title: "A telemetry writer stopped without an end",
      meaning: "The writer was killed or is disconnected. Its rows after that time are missing.",
      remedy: "Start the writer again. Results for that time count delivered events as lost.",
    },
    telemetry: {
      title: "Telemetry",
      meaning: "Rows are lost, or cannot be written at the moment.",
      remedy: "Free space on the disk, or reduce the retention time. See the tab Telemetry.",
    },
    controller: {
      title: "The controller does not respond",
      meaning: "No table can be changed. Switches continue to forward events with their current entries.",
      remedy:
        "Start the controller. It then compares all switches with the plan and sends the missing entries.",
    },
    inPlace: {
      title: "A topic was changed in place",
      meaning:
        "There was no room or no time for old and new entries together. Events may be lost or duplicated during the change.",
      remedy: "Do nothing when the request is active. More free entries in the tables prevent this.",
    },
    linkDown: {
      title: "A link went down under traffic",
      meaning: "Packets that were sent into the link are lost. Trees now use other links.",
      remedy: "Repair the link. It is used again automatically.",
    },
    tableFull: {
      title: "A table with less room than declared",
      meaning: "The platform plans the table with the room that it found.",
      remedy: "Set the budget of the switch to this number, or aggregate on the page Budgets.",
    },
    newSwitch: {
      title: "An undeclared switch",
      meaning: "The platform added the switch under its datapath id.",
      remedy: "Give the switch a label on the page Network, or remove it and disconnect it.",
    },
    linkAdded: {
      title: "An undeclared link",
      meaning: "Probes cross the link, and the policy adds such links automatically.",
      remedy: "If the link should not exist, remove it on the page Network.",
    },
    otherLink: {
      title: "A link that contradicts the topology",
      meaning: "Probes cross between two ports. The topology connects one of them to another object.",
      remedy: "Correct the topology or the cabling.",
    },
    takenBack: {
      title: "A request was reverted",
      meaning: "A switch refused an entry of the request after the planning.",
      remedy: "Open the request. It contains the reason and the remedy.",
    },
    forged: {
      title: "A control message that is not genuine",
      meaning: "Its seal is missing, invalid or old. Nothing was changed.",
      remedy: "Check the refusals in the tab Signalling, and the key of the host.",
    },
  },
  tab: {
    active: "Active",
    none: "No active alarms",
    unknown: "The alarms of the controller are not known",
    past: "Last 24 hours",
    search: "Search alarms",
    searchPlaceholder: "Search",
    label: "Alarms",
    noMatch: "No matching alarms",
    noPast: "No alarms in the last 24 hours",
    columns: { time: "Time", alarm: "Alarm", remedy: "What to do" },
    details: (subject: string, detail: string) =>
      subject && detail ? `${subject}: ${detail}` : subject || detail,
    since: "since",
    seen: (count: number) => `seen ${count.toLocaleString()} times`,
  },
};
