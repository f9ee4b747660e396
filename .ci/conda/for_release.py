"""Print the recipe of conda-forge for a released archive.

    python .ci/conda/for_release.py dist/gapless-X.Y.Z.tar.gz

The recipe beside this file builds a clone; conda-forge takes the archive from PyPI, with its SHA-256.
"""

import hashlib
import re
import sys
from pathlib import Path

RECIPE = Path(__file__).with_name("recipe.yaml")
CLONE = "source:\n  path: ../..\n"
ARCHIVE = """\
source:
  url: https://pypi.org/packages/source/g/gapless/gapless-${{{{ version }}}}.tar.gz
  sha256: {digest}
"""


def for_release(archive: Path) -> str:
    """The recipe with the address and the checksum of an archive, whose version must be the recipe's."""
    text = RECIPE.read_text(encoding="utf-8")
    (version,) = re.findall(r'^  version: "(.+)"$', text, re.MULTILINE)
    if archive.name != f"gapless-{version}.tar.gz":
        sys.exit(f"{archive.name}: {RECIPE} is for gapless-{version}.tar.gz; change one of the two versions")
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    # Without the comment, which speaks of the clone.
    return text[text.index("schema_version") :].replace(CLONE, ARCHIVE.format(digest=digest))


if __name__ == "__main__":
    print(for_release(Path(sys.argv[1])), end="")
