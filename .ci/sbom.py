"""Write the bill of materials of a wheel: ``sbom.py WHEEL OUT``, with cyclonedx-py beside this interpreter.

The wheel and what it needs are installed into an environment of their own, so that nothing else is listed: a
CycloneDX document with versions, licences and package URLs, validated against its schema.
"""

import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path


def write(wheel: Path, out: Path) -> None:
    """Install, list, validate, write."""
    root = Path(__file__).resolve().parent.parent
    with tempfile.TemporaryDirectory() as name:
        environment = Path(name) / "environment"
        venv.create(environment, with_pip=False)
        python = str(environment / "bin" / "python")
        pip = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check"]
        subprocess.run([*pip, "install", "--quiet", str(wheel)], check=True)
        aside = out.with_name(out.name + ".part")
        lister = [str(Path(sys.executable).with_name("cyclonedx-py")), "environment"]
        lister += ["--pyproject", str(root / "pyproject.toml"), "--mc-type", "library"]
        lister += ["--output-reproducible", "--validate", "--of", "JSON", "-o", str(aside), python]
        subprocess.run(lister, check=True)
    listed = json.loads(aside.read_text(encoding="utf-8"))
    named = {component["name"]: component for component in listed["components"]}
    unlicensed = sorted(name for name, component in named.items() if not component.get("licenses"))
    print(f"{out}: {', '.join(sorted(named))}")
    if unlicensed:
        aside.unlink()
        sys.exit(f"no licence is known for {', '.join(unlicensed)}")
    os.replace(aside, out)


if __name__ == "__main__":
    write(Path(sys.argv[1]), Path(sys.argv[2]))
