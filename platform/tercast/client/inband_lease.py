"""Leases over the data network: the encoding of a publisher's events, cuts in parts."""

from __future__ import annotations

import hashlib

from tercast.client.inband import Signaller
from tercast.client.lease import Terms
from tercast.errors import TercastError
from tercast.eventspace.topic import Topic
from tercast.signalling.cut_bytes import read_cuts
from tercast.signalling.errors import MalformedMessage
from tercast.signalling.messages import (
    ControlBody,
    ControlReply,
    CutReader,
    MessageType,
    RunningPublisher,
)
from tercast.wire.errors import ApiError, NoAnswer, NotTaken

LEASE_PATIENCE = 5.0
"""Seconds that a request about a lease may take; the next request follows in any case."""

TRIAL_PATIENCE = 2.0
"""Seconds that a platform has to answer a publisher that reads cuts; one of an earlier release never does."""

PLAIN_REQUESTS = 100
"""Requests without cuts after such a silence, until the publisher tries again."""

MOST_PARTS = 8_192
"""Maximum number of answers for the cuts of a topic; 4,096 cuts need about 50."""


class InBandLeaseSource:
    """Leases over the data network, for publishers of one topic; calls raise ApiError.

    The cuts of an encoding arrive in parts. A platform of an earlier release does not answer a publisher that
    reads cuts. So without an answer, the publisher asks as one that does not, until a topic has cuts.
    """

    def __init__(self, signaller: Signaller, topic: Topic) -> None:
        self._signaller = signaller
        self._attributes = topic.attributes
        self._sends_cuts = False
        self._plain_left = 0
        self._version = 0
        self._cuts: list[object] = []

    def lease(self, advertisement: str, holder: str, version: int | None) -> Terms:
        """Request or renew the lease, confirm the version in use, and read the cuts of a new one."""
        running = RunningPublisher(advertisement, _number(holder), version or 0)
        try:
            return self._read_terms(running)
        except MalformedMessage as error:
            raise _unfit(advertisement, f"the cuts are malformed ({error})") from None
        except ApiError:
            raise
        except TercastError as error:
            raise ApiError(f"lease in band: {error}") from None

    def release(self, advertisement: str, holder: str) -> None:
        """Release the lease."""
        try:
            self._exchange(MessageType.RELEASE, RunningPublisher(advertisement, _number(holder)))
        except TercastError as error:
            raise ApiError(f"release in band: {error}") from None

    def _read_terms(self, running: RunningPublisher) -> Terms:
        """Ask until all parts of the cuts have arrived."""
        reading, data = 0, b""
        for _ in range(MOST_PARTS):
            answer = self._request_part(running, len(data))
            part, terms = answer.cuts, answer.terms
            if part is None or terms is None or terms.version == self._version:
                return self._terms(running.name, answer)
            if terms.version != reading:
                reading, data = terms.version, b""
                if part.position:
                    continue  # the encoding has changed meanwhile
            if part.position != len(data) or not part.data:
                break
            data += part.data
            if len(data) == part.size:
                self._cuts = read_cuts(data, self._attributes).to_json(self._attributes)
                self._version = terms.version
                return self._terms(running.name, answer)
        raise _unfit(running.name, "the cuts are incomplete")

    def _terms(self, advertisement: str, answer: ControlReply) -> Terms:
        terms, code = answer.terms, answer.code
        if terms is None or code is None or any(n >= len(self._attributes) for n in terms.indexed):
            raise _unfit(advertisement, "the answer does not fit the topic")
        indexed = tuple(self._attributes[n].name for n in terms.indexed)
        cuts = tuple(self._cuts) if terms.version == self._version else ()
        times = (terms.expires_ms / 1000, terms.poll_ms / 1000)
        return Terms(terms.version, code, indexed, *times, cuts=cuts)

    def _request_part(self, running: RunningPublisher, position: int) -> ControlReply:
        reader = CutReader(running.name, running.holder, running.version, position)
        if not self._plain_left:
            try:
                answer = self._exchange(
                    MessageType.LEASE, reader, LEASE_PATIENCE if self._sends_cuts else TRIAL_PATIENCE
                )
            except NoAnswer:
                if self._sends_cuts:
                    raise
            else:
                self._sends_cuts = True
                return answer
            self._plain_left = PLAIN_REQUESTS
        self._plain_left -= 1
        try:
            return self._exchange(MessageType.LEASE, running)
        except NotTaken as error:
            if error.reason != "topic_with_cuts":
                raise
            refusal = error
        self._plain_left = 0
        try:
            return self._exchange(MessageType.LEASE, reader)
        except NoAnswer:
            raise refusal from None

    def _exchange(
        self, type_: MessageType, body: ControlBody, patience: float = LEASE_PATIENCE
    ) -> ControlReply:
        return self._signaller.exchange(type_, body, patience, confirm=False)


def _unfit(advertisement: str, problem: str) -> ApiError:
    return ApiError(
        f"lease of {advertisement}: {problem}; check that host and platform use the same attributes"
    )


def _number(holder: str) -> int:
    """The 64-bit number that represents a holder's name."""
    return int.from_bytes(hashlib.sha256(holder.encode()).digest()[:8], "big")
