"""OpenFlow over TLS: both peers have certificates that the authority signed."""

from __future__ import annotations

import ssl
from typing import Any

import eventlet
import eventlet.patcher

from controller_app.switch.datapath_proof import Certificate

_SOCKET: Any = eventlet.patcher.original("socket").socket

_REASONS = {
    "PEER_DID_NOT_RETURN_A_CERTIFICATE": "it sent no certificate",
    "WRONG_VERSION_NUMBER": "it does not use TLS; configure it with ssl: instead of tcp:",
    "HTTP_REQUEST": "it uses HTTP, not OpenFlow over TLS",
    "TLSV1_ALERT_UNKNOWN_CA": (
        "it does not trust the controller's certificate; install the certificate of the authority on the "
        "switch"
    ),
    "SSLV3_ALERT_BAD_CERTIFICATE": "it rejects the controller's certificate; read the log of the switch",
    "SSLV3_ALERT_CERTIFICATE_EXPIRED": (
        "it reports that the controller's certificate has expired; issue a new one"
    ),
    "UNSUPPORTED_PROTOCOL": "it does not support TLS 1.2 or later",
}


class Untrusted(Exception):  # noqa: N818 - named by meaning
    """A peer is refused before its first OpenFlow message; the text is the reason."""


class TlsChannel:
    """A TLS connection with the errors of a plain socket: to its reader, a broken one has ended.

    Ryu ignores errors of TLS and reads again. An error that repeats immediately would block all other
    switches.
    """

    def __init__(self, secured: Any) -> None:
        self._secured = secured

    def recv(self, size: int) -> bytes:
        """Receive bytes, as a socket does."""
        try:
            return bytes(self._secured.recv(size))
        except ssl.SSLError as error:
            raise ConnectionResetError(f"TLS: {error.reason or error}") from error

    def sendall(self, data: bytes) -> None:
        """Send all bytes, as a socket does."""
        try:
            self._secured.sendall(data)
        except ssl.SSLError as error:
            raise ConnectionResetError(f"TLS: {error.reason or error}") from error

    def shutdown(self, how: int) -> None:
        """Shut the socket down, as a socket does; later bytes are neither decrypted nor read.

        This calls the method of the original class, because the class of eventlet that replaces it has none.
        """
        _SOCKET.shutdown(self._secured, how)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._secured, name)


def greet(peer: Any, context: ssl.SSLContext, seconds: float) -> TlsChannel:
    """Return the TLS connection of an accepted socket.

    Raises:
        Untrusted: The handshake failed, or took more than `seconds`; the socket is closed.
    """
    try:
        with eventlet.Timeout(seconds, Untrusted(f"its TLS handshake took more than {seconds:g} s")):
            secured = context.wrap_socket(peer, server_side=True, do_handshake_on_connect=False)
            secured.do_handshake()
            return TlsChannel(secured)
    except Untrusted:
        peer.close()
        raise
    except OSError as error:
        peer.close()
        raise Untrusted(reason(error)) from None


def certificate(channel: TlsChannel) -> Certificate:
    """Return the content of the peer's certificate.

    Raises:
        Untrusted: The certificate cannot be read; the connection is closed.
    """
    try:
        return Certificate.read(channel.getpeercert(binary_form=True))
    except (OSError, ValueError, TypeError) as error:
        channel.close()
        raise Untrusted(f"its certificate cannot be read ({type(error).__name__})") from None


def reason(error: OSError) -> str:
    """Return in words why a TLS handshake failed."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not valid: {error.verify_message}"
    if isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError) or "Closed before" in str(error):
        return "it disconnected during the TLS handshake"
    if isinstance(error, ssl.SSLError):
        code = error.reason or ""
        return _REASONS.get(code, f"TLS failed: {code.lower().replace('_', ' ') or error}")
    return f"it disconnected during the TLS handshake ({(error.strerror or 'connection lost').lower()})"
