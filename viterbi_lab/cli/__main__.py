"""``python -m viterbi_lab.cli`` is ``viterbi-lab``."""

import sys

from viterbi_lab.cli import main

if __name__ == "__main__":
    sys.exit(main())
