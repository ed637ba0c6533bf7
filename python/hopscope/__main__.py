"""``python -m hopscope`` is the command ``hopscope``."""

from hopscope.cli.main import main

main()
