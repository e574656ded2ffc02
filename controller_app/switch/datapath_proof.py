"""Proof of a switch's datapath id: the certificate or key that is bound to the id."""

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
"""Highest number of datapath ids with stored keys."""

_NAME = re.compile(r"dpid-([0-9a-f]{16})", re.IGNORECASE)
_DPID = re.compile(r"[0-9a-f]{16}")
_KEY = re.compile(r"[0-9a-f]{64}")

log = logging.getLogger(__name__)


class ProofPolicy(StrEnum):
    """Required proof of a datapath id that has no bound key or certificate, with TLS."""

    BOUND = "bound"
    FIRST_USE = "first-use"
    AUTHORITY = "authority"


class Proof(StrEnum):
    """Proof of a switch's datapath id."""

    NAME = "name"
    KEY = "key"
    AUTHORITY = "authority"
    NONE = "none"

    @property
    def is_bound(self) -> bool:
        """Whether the certificate or its key belongs to the datapath id."""
        return self in (Proof.NAME, Proof.KEY)


class UnprovedDatapath(Exception):  # noqa: N818 - named by meaning
    """A switch may not use the datapath id that it claims; the text has reason and remedy."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """Content of a peer's certificate: names, datapath ids, SHA-256 of the public key."""

    names: tuple[str, ...]
    dpids: frozenset[int]
    key: str

    @classmethod
    def read(cls, der: bytes) -> Certificate:
        """Read a certificate in DER form.

        Raises:
            ValueError: It is malformed.
        """
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
        return f"({self.names[0] if self.names else 'no name'!r}, key {self.key})"


class Proofs:
    """Checks claims of datapath ids against certificates and a file of switch keys.

    The file is JSON: `{"000000000000000a": ["SHA-256 of a public key", ...]}`. An administrator may edit it.
    Without a file, keys are stored until the process ends.
    """

    def __init__(self, policy: ProofPolicy, path: Path | None) -> None:
        self._policy = policy
        self._path = path
        self._stamp: tuple[int, int] | None = None
        self._keys: dict[str, list[str]] = {}
        if path is not None:
            self._read(path)

    def check(self, dpid: int, certificate: Certificate | None) -> Proof:
        """Return the proof of a claim; `certificate` is None without TLS.

        Raises:
            UnprovedDatapath: The claim is refused.
        """
        if certificate is None:
            return Proof.NONE
        if certificate.dpids:
            if dpid in certificate.dpids:
                return Proof.NAME
            names = ", ".join(f"dpid-{one:016x}" for one in sorted(certificate.dpids)[:3])
            raise UnprovedDatapath(
                f"its certificate {certificate} is for {names}; issue a certificate for dpid-{dpid:016x}"
            )
        self._reload()
        bound = self._keys.get(f"{dpid:016x}", [])
        if certificate.key in bound:
            return Proof.KEY
        if bound:
            place = self._path or "the memory of the controller"
            raise UnprovedDatapath(
                f"its certificate {certificate} has a key that differs from the one stored for this datapath "
                f"id in {place}; to accept the new certificate, remove the stored key"
            )
        return self._unbound(dpid, certificate)

    def _unbound(self, dpid: int, certificate: Certificate) -> Proof:
        """Return the proof for a datapath id without a bound key.

        Raises:
            UnprovedDatapath: The policy requires a bound key, or the list of bound keys is full.
        """
        if self._policy is ProofPolicy.AUTHORITY:
            return Proof.AUTHORITY
        if self._policy is ProofPolicy.BOUND:
            remedy = (
                f"issue a certificate for dpid-{dpid:016x}, or add the key of its present certificate to "
                f"{self._path or FILE_NAME}, because {OPTION} requires it"
            )
            raise UnprovedDatapath(f"its certificate {certificate} has no datapath id; {remedy}")
        if len(self._keys) >= MOST_KEYS:
            raise UnprovedDatapath(
                f"the limit of {MOST_KEYS} stored keys is reached; remove some from {self._path}"
            )
        self._keys[f"{dpid:016x}"] = [certificate.key]
        self._write()
        return Proof.KEY

    def _reload(self) -> None:
        """Read the file again if it was edited; if it cannot be read, the keys stay."""
        if self._path is None:
            return
        try:
            self._read(self._path)
        except SettingError as error:
            log.error("cannot read the switch keys", extra={"fields": {"error": str(error)}})

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
            rule = 'write {"16 hex digits of a datapath id": ["SHA-256 of a public key", ...]}'
            raise SettingError(f"--switch-keys: cannot read {str(path)!r}: {error}; {rule}") from None

    def _write(self) -> None:
        """Replace the file; if this fails, the keys are stored until the process ends."""
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
            log.error("cannot write the switch keys; they stay in memory", extra={"fields": fields})


def _parse(text: str) -> dict[str, list[str]]:
    """Return the keys by datapath id.

    Raises:
        ValueError: The text has another form.
    """
    found = json.loads(text or "{}")
    if not isinstance(found, dict):
        raise ValueError("it is not an object")
    keys: dict[str, list[str]] = {}
    for dpid, listed in found.items():
        lines = [listed] if isinstance(listed, str) else listed
        if not _DPID.fullmatch(dpid) or not isinstance(lines, list):
            raise ValueError(f"{dpid!r} is not a datapath id with a list of keys")
        keys[dpid] = [str(line).lower().replace(":", "") for line in lines]
        if bad := next((key for key in keys[dpid] if not _KEY.fullmatch(key)), None):
            raise ValueError(f"{bad!r} of {dpid} is not a SHA-256")
    return keys
