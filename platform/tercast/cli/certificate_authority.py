"""Certificates for OpenFlow over TLS in labs: an authority, and for each name a key that it vouches for.

Each lies in a folder as `NAME.pem` and `NAME-key.pem` (the authority's name is `ca`). What is there stays, so
that names can be added later.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType

from tercast.errors import Refused

AUTHORITY = "ca"
CONTROLLER = "controller"
DAYS = 3650
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
_DPID = re.compile(r"[0-9A-Fa-f]{16}")


@dataclass(frozen=True, slots=True)
class Identity:
    """The files of one side of a connection: its certificate, its key, and whom it trusts."""

    certificate: Path
    key: Path
    authority: Path

    @classmethod
    def of(cls, folder: Path, name: str) -> Identity:
        """Where `make_certificates` puts those of `name`."""
        return cls(folder / f"{name}.pem", folder / f"{name}-key.pem", folder / f"{AUTHORITY}.pem")


def make_certificates(
    folder: Path,
    names: Iterable[str],
    days: int = DAYS,
    dpids: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> list[str]:
    """Make what is missing of the authority and `names` in `folder`; the names of what was made.

    A certificate proves the datapath ids (16 hex digits) that `dpids` has for its name: it names each as
    `dpid-000000000000000a`. Keys are readable by their owner alone.

    Raises:
        Refused: A name cannot be a file's, or a datapath id is malformed.
        OSError: A file cannot be written.
    """
    wanted = [AUTHORITY, *names]
    for place, name in enumerate(wanted):
        if not _NAME.fullmatch(name) or (place and name == AUTHORITY):
            rule = "is no name for a certificate: letters, digits, '.', '_' and '-', 63 at most, and not 'ca'"
            raise Refused(("names", place), "name", f"{name!r} {rule}", name)
    for name, listed in dpids.items():
        for dpid in listed:
            if not _DPID.fullmatch(dpid):
                rule = "is no datapath id: 16 hex digits, as 000000000000000a"
                raise Refused(("dpids", name), "dpid", f"{dpid!r} {rule}", dpid)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    made = []
    for name in wanted:
        identity = Identity.of(folder, name)
        if not (identity.certificate.exists() and identity.key.exists()):
            _make(folder, name, days, dpids.get(name, ()))
            made.append(name)
    return made


def _make(folder: Path, name: str, days: int, dpids: Sequence[str]) -> None:
    from cryptography import x509  # noqa: PLC0415 - takes long, and only this needs it
    from cryptography.hazmat.primitives import hashes, serialization  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415
    from cryptography.x509.oid import ExtendedKeyUsageOID as Usage  # noqa: PLC0415

    key = ec.generate_private_key(ec.SECP256R1())
    subject = _subject(name)
    is_authority = name == AUTHORITY
    issuer, signer = (subject, key) if is_authority else _authority(folder)
    now = datetime.now(UTC)
    usage = x509.ExtendedKeyUsage([Usage.CLIENT_AUTH, Usage.SERVER_AUTH])
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
    )
    if not is_authority:
        builder = builder.add_extension(usage, critical=False)
    if dpids:
        names = [x509.DNSName(f"dpid-{dpid.lower()}") for dpid in dpids]
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    certificate = builder.sign(signer, hashes.SHA256())
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    text = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
    identity = Identity.of(folder, name)
    _write(identity.key, text, 0o600)
    _write(identity.certificate, certificate.public_bytes(pem), 0o644)


def _subject(name: str):  # type: ignore[no-untyped-def] # of a library that is imported late
    from cryptography import x509  # noqa: PLC0415

    # Two authorities of one name would be taken for each other, with errors that mislead.
    named = f"Tercast lab authority {os.urandom(4).hex()}" if name == AUTHORITY else name
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, named)])


def _authority(folder: Path):  # type: ignore[no-untyped-def]
    """The name and the key of the authority."""
    from cryptography import x509  # noqa: PLC0415
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415

    identity = Identity.of(folder, AUTHORITY)
    certificate = x509.load_pem_x509_certificate(identity.certificate.read_bytes())
    key = serialization.load_pem_private_key(identity.key.read_bytes(), None)
    return certificate.subject, key


def _write(path: Path, content: bytes, mode: int) -> None:
    """The file appears whole, with its mode."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(descriptor, "wb") as out:
        out.write(content)
    temporary.replace(path)
