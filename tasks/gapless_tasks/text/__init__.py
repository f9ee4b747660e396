"""Own text from the shell: ``gapless tag``, ``parse``, ``link``, ``title`` and ``train``."""
