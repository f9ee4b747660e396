"""``python -m gapless``."""

from gapless.cli import main

raise SystemExit(main())
