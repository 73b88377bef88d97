"""``python -m viterbi_lab.experiments NAME …`` runs an experiment; without a name it lists them."""

import importlib
import sys
from collections.abc import Sequence

from viterbi_lab.experiments import EXPERIMENTS


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the experiment that the first argument names with the other arguments.

    Args:
        arguments: what follows the name of the command; by default from the command line.

    Raises:
        SystemExit: with a message, if there is no experiment of that name.
    """
    name, *others = list(sys.argv[1:] if arguments is None else arguments) or [""]
    if name in EXPERIMENTS:
        importlib.import_module(f"viterbi_lab.experiments.{name}").main(others)
        return
    listed = "\n".join(f"  {known:12} {what}" for known, what in EXPERIMENTS.items())
    text = f"usage: python -m viterbi_lab.experiments NAME [options]; NAME --help tells them\n\n{listed}\n"
    if name in ("", "-h", "--help"):
        sys.stdout.write(text)
        return
    raise SystemExit(f"There is no experiment {name!r}.\n{text}")


if __name__ == "__main__":
    main()
