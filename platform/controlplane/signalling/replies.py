"""Answers to hosts: if the controller refuses one, it is skipped and the others are sent."""

import logging
from base64 import b64encode
from collections.abc import Sequence

from controlplane.network.controller_client import BadAnswerError, ControllerClient
from controlplane.signalling import refusals
from controlplane.signalling.handler import OutgoingReply
from controlplane.signalling.host_datagram import HostDatagram

REFUSED = "answer_refused"
"""Reason code of an answer that the controller refused."""

logger = logging.getLogger(__name__)


def send(northbound: ControllerClient, answers: Sequence[OutgoingReply]) -> None:
    """Send answers; if they are refused together, send each alone.

    A host that receives no answer sends its message again.

    Raises:
        NorthboundError: The controller does not answer.
    """
    try:
        northbound.answer_signals([_row(answer) for answer in answers])
    except BadAnswerError as error:
        if len(answers) == 1:
            _pass_over(answers[0], str(error))
            return
        for answer in answers:
            send(northbound, [answer])


def _row(answer: OutgoingReply) -> OutgoingReply:
    return {**answer, "payload": b64encode(answer["payload"]).decode()}


def _pass_over(answer: OutgoingReply, why: str) -> None:
    datagram = HostDatagram(**{**answer, "payload": b""})
    logger.warning(
        "the controller refused the answer to %s (%s) at port %s of %s: %s",
        *(datagram.ip, datagram.mac, datagram.port, datagram.dpid, why),
    )
    refusals.record_refusal(datagram, REFUSED, f"the controller refused the answer: {why}")
