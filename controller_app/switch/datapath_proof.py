"""Proof that a switch is the one whose datapath id it claims: the certificate or the key bound to that id."""

from __future__ import annotations

import json
import logging
import os
import re
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from controller_app.errors import SettingError

VARIABLE = "TERCAST_SWITCH_PROOF"
OPTION = "--switch-proof"
FILE_NAME = "switch-keys.json"
MOST_KEYS = 16384
"""Datapath ids whose keys are remembered."""

_NAME = re.compile(r"dpid-([0-9a-f]{16})", re.IGNORECASE)
_DPID = re.compile(r"[0-9a-f]{16}")
_KEY = re.compile(r"[0-9a-f]{64}")

log = logging.getLogger(__name__)


class ProofPolicy(StrEnum):
    """What a switch has to show over TLS for a datapath id to which nothing is bound."""

    BOUND = "bound"
    FIRST_USE = "first-use"
    AUTHORITY = "authority"


class Proof(StrEnum):
    """Why a switch is believed."""

    NAME = "name"
    KEY = "key"
    AUTHORITY = "authority"
    NONE = "none"

    @property
    def is_bound(self) -> bool:
        """Whether the certificate or its key belongs to the datapath id."""
        return self in (Proof.NAME, Proof.KEY)


class UnprovedDatapath(Exception):  # noqa: N818 - named by meaning
    """A switch may not use the datapath id that it claims; the text is the reason and the remedy."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """What a peer's certificate says: the datapath ids that it names, and the SHA-256 of its public key."""

    names: tuple[str, ...]
    dpids: frozenset[int]
    key: str

    @classmethod
    def read(cls, der: bytes) -> Certificate:
        """Return what a certificate in DER says. Raises ValueError."""
        found = x509.load_der_x509_certificate(der)
        names = [str(one.value) for one in found.subject.get_attributes_for_oid(x509.NameOID.COMMON_NAME)]
        try:
            extension = found.extensions.get_extension_for_class(x509.SubjectAlternativeName)
            names += extension.value.get_values_for_type(x509.DNSName)
        except x509.ExtensionNotFound:
            pass
        matches = [match for name in names if (match := _NAME.fullmatch(name))]
        public = found.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        return cls(
            tuple(names), frozenset(int(match[1], 16) for match in matches), sha256(public).hexdigest()
        )

    def __str__(self) -> str:
        return f"of {self.names[0] if self.names else 'no name'!r} with the key {self.key}"


class Proofs:
    """Checks claims against certificates and against a file of keys by datapath id, which may be edited.

    The file is JSON: `{"000000000000000a": ["SHA-256 of a public key", ...]}`. Without one, keys are
    remembered until the process ends.
    """

    def __init__(self, policy: ProofPolicy, path: Path | None) -> None:
        self._policy = policy
        self._path = path
        self._stamp: tuple[int, int] | None = None
        self._keys: dict[str, list[str]] = {}
        if path is not None:
            self._read(path)

    def check(self, dpid: int, certificate: Certificate | None) -> Proof:
        """Return why a claim is believed; `certificate` is None without TLS.

        Raises:
            Unproved: The claim is refused.
        """
        if certificate is None:
            return Proof.NONE
        if certificate.dpids:
            if dpid in certificate.dpids:
                return Proof.NAME
            names = ", ".join(f"dpid-{one:016x}" for one in sorted(certificate.dpids)[:3])
            raise UnprovedDatapath(
                f"its certificate {certificate} is for {names}; make one for dpid-{dpid:016x}"
            )
        self._reload()
        bound = self._keys.get(f"{dpid:016x}", [])
        if certificate.key in bound:
            return Proof.KEY
        if bound:
            rule = f"another key is bound to this datapath id in {self._path or 'memory'}"
            raise UnprovedDatapath(
                f"its certificate {certificate} is not the bound one: {rule}; remove that to accept it"
            )
        return self._unbound(dpid, certificate)

    def _unbound(self, dpid: int, certificate: Certificate) -> Proof:
        """Return the proof for a datapath id to which nothing is bound. Raises Unproved."""
        if self._policy is ProofPolicy.AUTHORITY:
            return Proof.AUTHORITY
        if self._policy is ProofPolicy.BOUND:
            remedy = f"make one for the name dpid-{dpid:016x}, or add its key to {self._path or FILE_NAME}"
            raise UnprovedDatapath(f"its certificate {certificate} names no datapath id; {remedy} ({OPTION})")
        if len(self._keys) >= MOST_KEYS:
            raise UnprovedDatapath(
                f"{MOST_KEYS} keys are remembered, which is the most; remove some from {self._path}"
            )
        self._keys[f"{dpid:016x}"] = [certificate.key]
        self._write()
        return Proof.KEY

    def _reload(self) -> None:
        """Read the file again when it was edited; one that cannot be read changes nothing."""
        if self._path is None:
            return
        try:
            self._read(self._path)
        except SettingError as error:
            log.error("cannot read the keys of switches", extra={"fields": {"error": str(error)}})

    def _read(self, path: Path) -> None:
        try:
            status = path.stat()
            stamp = status.st_mtime_ns, status.st_size
            if stamp != self._stamp:
                self._keys = _parse(path.read_text("ascii"))
                self._stamp = stamp
        except FileNotFoundError:
            if self._stamp is not None:
                self._keys, self._stamp = {}, None
        except (OSError, ValueError) as error:
            rule = 'it has to be {"16 hex digits of a datapath id": ["SHA-256 of a public key", ...]}'
            raise SettingError(f"--switch-keys: cannot read {str(path)!r}: {error}; {rule}") from None

    def _write(self) -> None:
        """Replace the file; where that fails the keys are remembered until the process ends."""
        if self._path is None:
            return
        temporary = self._path.with_name(f".{self._path.name}.{os.getpid()}")
        try:
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "w") as out:
                json.dump(self._keys, out, indent=1, sort_keys=True)
                out.flush()
                os.fsync(out.fileno())
            temporary.replace(self._path)
            status = self._path.stat()
            self._stamp = status.st_mtime_ns, status.st_size
        except OSError as error:
            fields = {"path": str(self._path), "error": error.strerror}
            log.error("cannot write the keys of switches; they are kept in memory", extra={"fields": fields})


def _parse(text: str) -> dict[str, list[str]]:
    """Return the keys by datapath id. Raises ValueError."""
    found = json.loads(text or "{}")
    if not isinstance(found, dict):
        raise ValueError("it is no object")
    keys: dict[str, list[str]] = {}
    for dpid, listed in found.items():
        lines = [listed] if isinstance(listed, str) else listed
        if not _DPID.fullmatch(dpid) or not isinstance(lines, list):
            raise ValueError(f"{dpid!r} is no datapath id with a list of keys")
        keys[dpid] = [str(line).lower().replace(":", "") for line in lines]
        if bad := next((key for key in keys[dpid] if not _KEY.fullmatch(key)), None):
            raise ValueError(f"{bad!r} of {dpid} is no SHA-256")
    return keys
