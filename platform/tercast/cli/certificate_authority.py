"""Certificates for OpenFlow over TLS in labs: an authority, and a key for each name.

A folder contains `NAME.pem` and `NAME-key.pem` for each name; the name of the authority is `ca`. Existing
files stay unchanged, so that names can be added later.
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
    """The files of one side of a connection: certificate, key, and the authority that it trusts."""

    certificate: Path
    key: Path
    authority: Path

    @classmethod
    def of(cls, folder: Path, name: str) -> Identity:
        """The paths at which `make_certificates` writes the files of `name`."""
        return cls(folder / f"{name}.pem", folder / f"{name}-key.pem", folder / f"{AUTHORITY}.pem")


def make_certificates(
    folder: Path,
    names: Iterable[str],
    days: int = DAYS,
    dpids: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> list[str]:
    """Create the missing files of the authority and of `names` in `folder`.

    A certificate proves the datapath ids (16 hex digits) that `dpids` lists for its name. It contains each
    one as `dpid-000000000000000a`. Only the owner can read the keys.

    Returns:
        The names whose files were created.
    Raises:
        Refused: A name cannot be a file name, or a datapath id is malformed.
        OSError: A file cannot be written.
    """
    wanted = [AUTHORITY, *names]
    for place, name in enumerate(wanted):
        if not _NAME.fullmatch(name) or (place and name == AUTHORITY):
            rule = (
                "use up to 63 letters, digits, '.', '_' and '-', a letter or digit first ('ca' is reserved)"
            )
            detail = f"{name!r} is not a valid certificate name; {rule}"
            raise Refused(("names", place), "name", detail, name)
    for name, listed in dpids.items():
        for dpid in listed:
            if not _DPID.fullmatch(dpid):
                detail = f"{dpid!r} is not a datapath id; write 16 hex digits, for example 000000000000000a"
                raise Refused(("dpids", name), "dpid", detail, dpid)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    made = []
    for name in wanted:
        identity = Identity.of(folder, name)
        if not (identity.certificate.exists() and identity.key.exists()):
            _make(folder, name, days, dpids.get(name, ()))
            made.append(name)
    return made


def _make(folder: Path, name: str, days: int, dpids: Sequence[str]) -> None:
    from cryptography import x509  # noqa: PLC0415 - slow to import, and only this command needs it
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


def _subject(name: str):  # type: ignore[no-untyped-def] # the type is in a library that is imported late
    from cryptography import x509  # noqa: PLC0415

    # Two authorities with the same name would be confused, with misleading errors.
    named = f"Tercast lab authority {os.urandom(4).hex()}" if name == AUTHORITY else name
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, named)])


def _authority(folder: Path):  # type: ignore[no-untyped-def]
    """Read the name and the key of the authority."""
    from cryptography import x509  # noqa: PLC0415
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415

    identity = Identity.of(folder, AUTHORITY)
    certificate = x509.load_pem_x509_certificate(identity.certificate.read_bytes())
    key = serialization.load_pem_private_key(identity.key.read_bytes(), None)
    return certificate.subject, key


def _write(path: Path, content: bytes, mode: int) -> None:
    """Write a file atomically, with its mode."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(descriptor, "wb") as out:
        out.write(content)
    temporary.replace(path)
