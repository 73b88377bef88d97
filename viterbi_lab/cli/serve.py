"""``viterbi-lab serve``: serve the lab on this machine."""

import argparse
import os
import re
import secrets
import sys
from pathlib import Path

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
    parser.add_argument(
        "--story", type=Path, metavar="FILE", help="JSON file that the view Story tells, see assets/stories"
    )
    share = parser.add_argument_group("sharing", "Without --share the lab is reached from this machine only.")
    share.add_argument(
        "--share",
        action="store_true",
        help="let other machines in; visitors need the token that is printed, or that of VITERBI_LAB_TOKEN",
    )
    share.add_argument(
        "--origin",
        action="append",
        default=[],
        type=_origin,
        metavar="HOST[:PORT]",
        help="name under which browsers reach the shared lab, for instance behind a proxy; may be repeated "
        "(default: the names and addresses of this machine)",
    )
    parser.set_defaults(run=_serve, complain=parser.error)


def _origin(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9.-]+(:\d{1,5})?", text):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a host. Give a name or address, with :PORT if need be, never *."
        )
    return text.lower()


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port. Give a whole number 0..65535.")
    return int(text)


def _serve(chosen: argparse.Namespace) -> int:
    if chosen.origin and not chosen.share:
        chosen.complain("--origin is for a shared lab. Add --share.")

    from viterbi_lab.ui import story_file  # late: `check` must run without a page
    from viterbi_lab.ui.views.server import PortTaken, Sharing, serve

    token = os.environ.get("VITERBI_LAB_TOKEN") or secrets.token_urlsafe(24)
    sharing = Sharing(token, tuple(chosen.origin)) if chosen.share else None
    try:
        story = story_file.read(chosen.story) if chosen.story else None
        serve(chosen.port, show=chosen.show, announce=_announce, sharing=sharing, story=story)
    except (OSError, ValueError) as error:
        print(f"viterbi-lab serve: {error}", file=sys.stderr)
        return 1
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
