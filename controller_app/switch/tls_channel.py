"""OpenFlow over TLS: both sides show a certificate; whose the authority does not vouch for is refused."""

from __future__ import annotations

import ssl
from typing import Any

import eventlet
import eventlet.patcher

from controller_app.switch.datapath_proof import Certificate

_SOCKET: Any = eventlet.patcher.original("socket").socket

_REASONS = {
    "PEER_DID_NOT_RETURN_A_CERTIFICATE": "it shows no certificate",
    "WRONG_VERSION_NUMBER": "it does not speak TLS; connect it with ssl: in place of tcp:",
    "HTTP_REQUEST": "it speaks HTTP, and not OpenFlow over TLS",
    "TLSV1_ALERT_UNKNOWN_CA": "it does not trust the controller's certificate; give it the authority's",
    "SSLV3_ALERT_BAD_CERTIFICATE": "it does not take the controller's certificate",
    "SSLV3_ALERT_CERTIFICATE_EXPIRED": "it says that the controller's certificate has expired",
    "UNSUPPORTED_PROTOCOL": "it speaks no version of TLS from 1.2 on",
}


class Untrusted(Exception):  # noqa: N818 - named by meaning
    """A peer is refused before a word of OpenFlow; the text is the reason."""


class TlsChannel:
    """A TLS connection with the errors of a plain socket: for its reader, one that broke has ended.

    Ryu reads on after any error of TLS; of one that comes again at once it would make no other switch heard.
    """

    def __init__(self, secured: Any) -> None:
        self._secured = secured

    def recv(self, size: int) -> bytes:
        """As a socket's."""
        try:
            return bytes(self._secured.recv(size))
        except ssl.SSLError as error:
            raise ConnectionResetError(f"TLS: {error.reason or error}") from error

    def sendall(self, data: bytes) -> None:
        """As a socket's."""
        try:
            self._secured.sendall(data)
        except ssl.SSLError as error:
            raise ConnectionResetError(f"TLS: {error.reason or error}") from error

    def shutdown(self, how: int) -> None:
        """As a socket's: what comes after is no longer deciphered, and is not read either.

        It is the unpatched method: eventlet's class in the place of `socket.socket` has none.
        """
        _SOCKET.shutdown(self._secured, how)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._secured, name)


def greet(peer: Any, context: ssl.SSLContext, seconds: float) -> TlsChannel:
    """The secured connection of an accepted socket. Raises Untrusted within `seconds`; closes it then."""
    try:
        with eventlet.Timeout(seconds, Untrusted(f"it did not greet within {seconds:g} seconds")):
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
    """Return what the peer's certificate says. Raises Untrusted, and closes the connection then."""
    try:
        return Certificate.read(channel.getpeercert(binary_form=True))
    except (OSError, ValueError, TypeError) as error:
        channel.close()
        raise Untrusted(f"its certificate cannot be read ({type(error).__name__})") from None


def reason(error: OSError) -> str:
    """Why a greeting failed, in words."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not good: {error.verify_message}"
    if isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError) or "Closed before" in str(error):
        return "it hung up while greeting"
    if isinstance(error, ssl.SSLError):
        code = error.reason or ""
        return _REASONS.get(code, f"TLS failed: {code.lower().replace('_', ' ') or error}")
    return f"it hung up while greeting ({(error.strerror or 'connection lost').lower()})"
