"""``python -m sotaque`` is the same as ``sotaque``."""

from sotaque.cli.main import main

main()
