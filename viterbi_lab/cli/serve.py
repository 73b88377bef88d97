"""``viterbi-lab serve``: serve the lab on this machine."""

import argparse
import sys

DEFAULT_PORT = 5006


def add(commands: argparse._SubParsersAction) -> None:
    """Describe the command."""
    parser = commands.add_parser("serve", help="serve the lab on this machine (the default)")
    parser.add_argument(
        "--port",
        type=_port,
        default=DEFAULT_PORT,
        help=f"port to listen on, 0 for any free one (default {DEFAULT_PORT})",
    )
    browser = parser.add_mutually_exclusive_group()
    browser.add_argument(
        "--show",
        action="store_true",
        default=sys.stdout.isatty(),
        help="open the page in the browser (the default when started from a terminal)",
    )
    browser.add_argument("--no-browser", dest="show", action="store_false", help="do not open a browser")
    parser.set_defaults(run=_serve)


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port. Give a whole number 0..65535.")
    return int(text)


def _serve(chosen: argparse.Namespace) -> int:
    from viterbi_lab.ui.views.server import PortTaken, serve  # late: `check` must run without a page

    try:
        serve(chosen.port, show=chosen.show, announce=_announce)
    except PortTaken as error:
        print(
            f"{error} Is the lab running already? Look at http://127.0.0.1:{chosen.port}, "
            f"or choose another port: viterbi-lab --port {_another(chosen.port)}",
            file=sys.stderr,
        )
        return 1
    return 0


def _announce(address: str) -> None:
    print(f"Viterbi Lab is ready at {address}", "Stop it with Ctrl+C.", sep="\n", flush=True)


def _another(port: int) -> int:
    return port + 1 if port < 65535 else DEFAULT_PORT
