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
      remedy:
        "Give the switch a certificate of the certificate authority (CA) of the controller, or find the peer at this address.",
    },
    unproved_switch: {
      title: "A switch with the wrong certificate",
      meaning:
        "The certificate does not prove the datapath id of the switch. The controller refused the switch.",
      remedy: "The details of the alarm contain the remedy.",
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
        "Raise the limit LimitNOFILE of the service, or the memory of the controller. The alarm ends 60 s after the last failed attempt.",
    },
    setup_failed: {
      title: "A switch that does not respond",
      meaning: "The switch did not respond after its handshake, and the controller closed the connection.",
      remedy: "The alarm ends when the switch connects. If it does not connect, read the log of the switch.",
    },
    switch_problem: {
      title: "A switch without a required feature",
      meaning: "Tercast needs a feature that the switch does not have, or that it refused to use.",
      remedy: "Read the problems of the switch in the tab Switches. The alarm ends when they are solved.",
    },
    late_error: {
      title: "A switch refused a change that it had confirmed",
      meaning: "The table of the switch may differ from the plan.",
      remedy: "Audit the switch. The audit lists and repairs differences.",
    },
    signalling_flood: {
      title: "A host sends too many control messages",
      meaning: "The host exceeds the rate limit of its port. The controller drops further messages.",
      remedy: "Check the host at this port. docs/signalling.md lists the rate limits.",
    },
    link_silent: {
      title: "Probes no longer cross a link",
      meaning:
        "The ports of the link are up. The link remains in service, because lost probes do not prove that events are lost.",
      remedy:
        "Check whether the link forwards packets. If it does not, take it out of service (page Network). Trees then use other links.",
    },
    link_unprobed: {
      title: "No probe has crossed a link",
      meaning:
        "The link is registered and its ports are up. But no discovery probe has crossed it since the controller started.",
      remedy:
        "Check whether the cable connects the two registered ports. The link remains in service until a port is down.",
    },
    probe_flood: {
      title: "A host sends too many LLDP frames",
      meaning:
        "The host exceeds the rate limit of its port. The controller drops further frames. Links at other ports are not affected.",
      remedy: "Find the host at this port, or disable the port.",
    },
    bad_probe: {
      title: "A discovery probe that is not genuine",
      meaning:
        "The probe has no seal or an invalid seal, or a copy of an older probe was sent. The controller ignores it.",
      remedy:
        "Check the device at this port. It is a host that forges probes, or a switch of another installation of Tercast.",
    },
    probe_at_edge: {
      title: "A probe arrived at the port of a host",
      meaning:
        "The host forwards probes of other ports, or the port is connected to a switch. The platform adds no link at this port without approval.",
      remedy: "Check the host at this port, and whether it is registered at the correct port.",
    },
    links_waiting: {
      title: "Found links wait for approval",
      meaning: "Probes cross links that are not registered. The platform does not use these links.",
      remedy: "Approve or reject them in the tab Found links.",
    },
    shared_segment: {
      title: "One port receives probes from several ports",
      meaning:
        "A hub, or a switch that floods probes, is between the ports. The platform does not add links here.",
      remedy: "Connect the switches directly.",
    },
    aggregation_cost: {
      title: "Merged entries with an unexpected cost",
      meaning:
        "The measured and the predicted number of redundant copies differ by more than a factor of two.",
      remedy:
        "If there are more copies than predicted, start a run (page Budgets, tab Runs). If there are fewer, do nothing.",
    },
    out_of_reach: {
      title: "Subscriptions without a path to their publishers",
      meaning:
        "Subscriptions match advertisements, but no path of links and switches connects their hosts. Events do not arrive.",
      remedy:
        "Repair a link that is down, or put a link into service (page Network). To add a link or to put a switch into service, use the API. The alarm then ends automatically.",
    },
    unrepaired: {
      title: "A table that no audit could repair",
      meaning: "The entries of the switch differ from the plan.",
      remedy:
        "Read the reason in the details. The alarm ends after an audit that repairs the table or finds no difference.",
    },
    disk_low: {
      title: "A disk that is nearly full",
      meaning: "When the disk is full, the platform refuses changes.",
      remedy: "Free space on the disk, or move the directory to another disk.",
    },
    bad_schedule: {
      title: "A periodic task that cannot run",
      meaning: "The worker skips the task. All other tasks continue.",
      remedy: "Correct the task on the admin pages, or disable it.",
    },
    skipped: {
      title: "An object that a periodic task skips",
      meaning: "The task fails for this database row, and continues with the others.",
      remedy: "Read the reason in the details. The log of the worker contains the complete error.",
    },
    task_fails: {
      title: "A periodic task that fails repeatedly",
      meaning: "The work of the task is not done.",
      remedy: "Read the error in the details. The log of the worker contains the complete error.",
    },
  },
  past: {
    audit: {
      title: "An audit found a difference",
      meaning: "Another program changed the table, or the switch lost entries.",
      remedy:
        "Open the audit (tab Drift and audits). It lists each entry. An audit with repair makes the table equal to the plan.",
    },
    sourceCheck: {
      title: "Events with a wrong source address",
      meaning: "The switch dropped events whose source address is not registered at the port.",
      remedy:
        "Find the sender. If it is a registered host with other addresses, correct its registration. If the sender is a host that is not registered, register it at this port (page Publishers and subscribers, Register publisher). If it should not send events, disconnect the port.",
    },
    database: {
      title: "A process could not write to the database",
      meaning:
        "The database, the disk space, the file descriptors or the memory were not available for some time. The platform will execute all accepted requests.",
      remedy: "Find the cause. Check the database and the disk.",
    },
    connections: {
      title: "A web process refused connections",
      meaning:
        "The process had too few free file descriptors. Callers received the HTTP status 503 and must try again later.",
      remedy: "Raise the limit LimitNOFILE of the service, or find the client that keeps connections open.",
    },
    rejectedEvents: {
      title: "Events that a subscriber rejected",
      meaning:
        "The sender of the events is not the host of their advertisement, or the events have no valid seal. The subscriber did not deliver them.",
      remedy:
        "Find the sender. If the source check is on, its alarm names the switch and the port. If the sender is one of your programs, run it on the host of its publisher.",
    },
    silentWriter: {
      title: "A program that writes telemetry stopped without a final report",
      meaning:
        "The program was killed or is disconnected. Its rows after its last report are missing. An event that was delivered after this report is counted as lost.",
      remedy: "Start the program again.",
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
      title: "A topic was changed without a transition",
      meaning:
        "The tables could not hold old and new entries at the same time, or the change could not wait (for example after a link failure). Events may be lost or duplicated during the change.",
      remedy:
        "Wait until the request is active. To prevent this, keep more entries free: raise budgets that are below the capacity of their switch, or withdraw subscriptions.",
    },
    spaceDrift: {
      title: "An event space with avoidable false positives",
      meaning:
        "Filters or events have changed since the cuts of the topic were learned. A new event space avoids at least a tenth of the false positives.",
      remedy:
        "Apply the proposal that the alarm names (page Analytics, Proposals). To apply such proposals automatically, turn on automatic indexing of the topic.",
    },
    linkDown: {
      title: "A link with traffic is down",
      meaning: "Packets that were on the link are lost. Trees now use other links.",
      remedy: "Repair the link. Trees then use it again automatically.",
    },
    tableFull: {
      title: "A table with a capacity below its budget",
      meaning:
        "The switch cannot store as many entries as its budget allows. The platform uses the capacity as the limit.",
      remedy:
        "Set the budget of the switch to the number of entries in the alarm. If the aggregation method is none, choose another one (page Budgets, tab Policy).",
    },
    tightChange: {
      title: "A full table on a switch that does not support bundles",
      meaning:
        "If a switch does not support bundles and its table is full, it removes old entries before it adds new ones. Events may be lost for a moment.",
      remedy:
        "Keep an entry free. If the budget is below the capacity of the switch, raise it. Otherwise, withdraw subscriptions.",
    },
    newSwitch: {
      title: "A switch that was not registered",
      meaning: "The platform added the switch. Its name is its datapath id.",
      remedy:
        "Give the switch a label with the API (PATCH /api/v1/switches/{id}/). If it should not exist, disconnect it, and remove it with the API.",
    },
    linkAdded: {
      title: "A link that was not registered",
      meaning:
        "Probes cross the link. The platform added it without approval, because TERCAST_LINK_APPROVAL is automatic.",
      remedy:
        "If the link should not exist, take it out of service (page Network), disconnect the cable, and remove the link with the API.",
    },
    otherLink: {
      title: "A link that contradicts the registered links",
      meaning:
        "Probes pass between two ports, but one of these ports is registered for another link or for a host.",
      remedy: "Correct the registered links and hosts, or the cabling.",
    },
    takenBack: {
      title: "A request was reverted",
      meaning: "A switch refused an entry after the platform had planned the request.",
      remedy: "Open the request. It contains the reason and the remedy.",
    },
    forged: {
      title: "A control message that is not genuine",
      meaning: "Its seal is missing or invalid, or was used before. Nothing was changed.",
      remedy: "Check the refusals in the tab Signalling, and the key of the host.",
    },
  },
  tab: {
    active: "Active",
    none: "No active alarms",
    unknown: "The alarms of the controller are unknown",
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
