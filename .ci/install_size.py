"""The time that `pip install` of a wheel takes, the room on disk, and the time of the import.

``install_size.py WHEEL``, in virtual environments of its own, which are removed at the end.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

MEASURE = """
import json
from importlib.metadata import distributions
sizes = {}
for found in distributions():
    files = [found.locate_file(file) for file in found.files or ()]
    sizes[f"{found.name} {found.version}"] = sum(file.stat().st_size for file in files if file.exists())
print(json.dumps(sizes))
"""


def install(folder: Path, *arguments: str) -> tuple[float, dict[str, int]]:
    """Seconds of ``pip install`` into a fresh environment, and the bytes of each distribution in it."""
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    began = time.perf_counter()
    subprocess.run([*pip, "install", "--quiet", "--no-compile", *arguments], check=True)
    seconds = time.perf_counter() - began
    answer = subprocess.run([python, "-c", MEASURE], capture_output=True, text=True, check=True)
    return seconds, json.loads(answer.stdout)


def import_seconds(python: Path, module: str) -> float:
    """Processor time of an interpreter that imports a module, less that of one that imports nothing."""

    def least(code: str) -> float:
        times = []
        for _ in range(8):  # the first compiles and caches the bytecode
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([python, "-c", code], check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return min(times)

    return least(f"import {module}") - least("pass")


def main(wheel: Path) -> None:
    """Print one line for each number."""
    megabytes = 1e-6
    with tempfile.TemporaryDirectory() as name:
        alone, ours = install(Path(name) / "alone", "--no-deps", str(wheel))
        full, all_of_them = install(Path(name) / "full", str(wheel))
        print(f"wheel                       {wheel.stat().st_size * megabytes:7.1f} MB")
        print(f"pip install --no-deps       {sum(ours.values()) * megabytes:7.1f} MB  {alone:5.1f} s")
        print(f"pip install                 {sum(all_of_them.values()) * megabytes:7.1f} MB  {full:5.1f} s")
        for distribution, size in sorted(all_of_them.items(), key=lambda item: -item[1]):
            print(f"  {distribution:25} {size * megabytes:7.1f} MB")
        python = Path(name) / "full" / "bin" / "python"
        for module in ("numpy", "gapless", "gapless_chains"):
            print(f"import {module:20} {import_seconds(python, module):7.2f} s")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
