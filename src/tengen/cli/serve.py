"""`tengen serve`: the page and the HTTP service on this computer, or on the local network."""

from __future__ import annotations

import contextlib
import sys
from typing import Annotated

import typer

from tengen.cli.app import verb
from tengen.cli.games import cores
from tengen.errors import TengenError
from tengen.plain import notice

ANYWHERE = ("0.0.0.0", "::")


@verb("serve")
def serve_command(
    host: Annotated[str, typer.Option(help="Address to listen on; others cannot reach the default one.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 for any free one.")] = 8080,
    lan: Annotated[bool, typer.Option("--lan", help="Listen on the local network, for phones.")] = False,
    workers: Annotated[int, typer.Option(min=0, max=256, help="Worker processes; 0 for one per core.")] = 1,
    cors: Annotated[
        list[str] | None, typer.Option(help="Origin whose pages may call the service, such as https://go.example.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Write no access log.")] = False,
) -> None:
    """Serve a page to count, estimate, review and play in the browser, and the same over HTTP."""
    from tengen.extras import need

    for library in ("fastapi", "uvicorn", "segno"):
        need(library)
    from tengen.protocols.http.server import Options, serve

    if lan and host != "127.0.0.1":
        raise TengenError("--lan chooses the address: leave out --host")
    address = "0.0.0.0" if lan else host
    if address in ANYWHERE:
        notice("tengen serve: everybody on the local network can reach this service; it has no passwords")
    options = Options(address, port, workers or cores(), tuple(cors or ()), log=not quiet)
    serve(options, _announce)


def _announce(host: str, port: int) -> None:
    """Print the address to open."""
    name = local_address() if host in ANYWHERE else host
    address = f"http://{f'[{name}]' if ':' in name else name}:{port}/"
    if host in ANYWHERE:
        _print_code(address)
    print(f"Tengen is at {address} (Ctrl-C stops it)")
    sys.stdout.flush()


def _print_code(address: str) -> None:
    """Print an address as a QR code, if the terminal can show one."""
    import segno

    with contextlib.suppress(UnicodeEncodeError):
        "█▀▄".encode(sys.stdout.encoding or "ascii")
        segno.make(address, error="l").terminal(compact=True)


def local_address() -> str:
    """Return the address of this computer on the local network, or localhost if it has none."""
    import socket

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: only asks which interface would be used
        except OSError:
            return "localhost"
        return str(probe.getsockname()[0])
