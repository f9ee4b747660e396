"""Feed changed documents to everything that reads: ``python tests/fuzz/fuzz.py --cases 1000000``.

Each chunk of cases runs in a process of its own with little memory and CPU time, so that a crash, a hang or a tiny
file that asks for a terabyte is a finding like any other; a slow machine is none. Findings are kept: the document
and what went wrong. ``--replay FILE`` reads one again.
"""

import argparse
import faulthandler
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
import patience

CHUNK = 3000
MEMORY = 4 << 30
"""Bytes of address space of a process: who asks for more gets a MemoryError."""

PATIENCE = int(os.environ.get("GAPLESS_FUZZ_PATIENCE", "10"))
"""Seconds of CPU time for one document."""

IDLE = int(os.environ.get("GAPLESS_FUZZ_IDLE", "120"))
"""Turns of a second in which a chunk did nothing, after which it waits for what never comes."""


class Hang(BaseException):
    """A document that keeps its reader busy."""


def refuse_to_wait(*_):
    """The alarm rang."""
    raise Hang(f"one document took more than {PATIENCE} s of CPU time")


def work(parsed):
    """Run a chunk of cases in this process; 1 if something was found."""
    import targets  # noqa: PLC0415
    from hypothesis import HealthCheck, Phase, given, seed, settings  # noqa: PLC0415
    from hypothesis import strategies as st  # noqa: PLC0415

    target, folder = targets.find(parsed.target), Path(parsed.folder)
    if parsed.seeds:
        target.check_seeds(folder)
    targets.seeds_of(target)
    warnings.simplefilter("error")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGPROF, refuse_to_wait)
    faulthandler.enable()
    done, found = 0, {}

    @seed(parsed.seed)
    @settings(
        max_examples=parsed.cases,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, *([Phase.shrink] if parsed.shrink else [])],
        report_multiple_bugs=False,
    )
    @given(st.randoms(use_true_random=False))
    def run(random):
        nonlocal done
        path = target.case(random, folder)
        signal.setitimer(signal.ITIMER_PROF, PATIENCE)
        try:
            target.run(path)
        except (Exception, Hang) as error:
            if parsed.shrink:
                raise
            place = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{type(error).__name__} at {Path(place.filename).name}:{place.lineno}"
            if where not in found:  # once for each place, and on to the next document
                found[where] = shutil.copy(path, folder / f"found{len(found)}{path.name.removeprefix('case')}")
                print(f"--- {found[where]}: {where}", file=sys.stderr)
                traceback.print_exception(error)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        done += 1

    try:
        run()
    finally:
        (folder / "done").write_text(str(done))
    return 1 if found else 0


def replay(parsed):
    """Read a kept document again."""
    import targets  # noqa: PLC0415

    path = Path(parsed.replay)
    target = targets.find(parsed.target or path.name.partition("@")[0])
    target.run(path)
    print(f"{path}: nothing is wrong with it")


def run_chunk(target, cases, seed, keep, parsed):
    """Run a chunk in another process: how many cases it did, and where its finding was kept."""
    folder = Path(tempfile.mkdtemp(prefix="gapless-fuzz-"))
    command = [sys.executable, __file__, "--target", target, "--cases", str(cases), "--seed", str(seed)]
    command += ["--folder", str(folder), *(["--shrink"] if parsed.shrink else [])]
    command += ["--seeds"] if parsed.seeds else []
    try:
        try:
            # One document may take long, all may not: 20 s of CPU time and a tenth of a second for each.
            limit = (20 + 0.1 * cases) * (20 if parsed.shrink else 1)
            ended = patience.run(command, cpu=limit, idle=IDLE)
            code, said = ended.returncode, ended.stderr
        except patience.Hang as error:
            code, said = f"a hang: {error}", "\n".join(error.__notes__)
        done = int((folder / "done").read_text()) if (folder / "done").exists() else 0
        if code == 0:
            return done, None
        keep.mkdir(parents=True, exist_ok=True)
        # Of a process that died or hung, the last document is to blame.
        for case in folder.glob("found*" if code == 1 and not parsed.shrink else "case*"):
            shutil.copy(case, keep / f"{target}@{seed}-{case.name}")
        log = keep / f"{target}@{seed}.log"
        log.write_text(f"{' '.join(command)}\nended with {code}\n{said}")
        return done, log
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def master(parsed):
    """All targets in turn, chunk after chunk."""
    import targets  # noqa: PLC0415

    every = list(targets.TARGETS.values())
    first, groups = map(int, parsed.group.split("/"))
    chosen = [targets.find(parsed.target)] if parsed.target else every[first::groups]
    shares = sum(target.share for target in (chosen if parsed.target else every))
    left = {target.name: round(parsed.cases * target.share / shares) for target in chosen}
    keep, began, done, findings, seed = Path(parsed.keep), time.monotonic(), 0, [], parsed.seed
    while any(left.values()):
        for name, cases in list(left.items()):
            chunk = min(CHUNK, cases)
            if not chunk:
                continue
            seed += 1
            left[name] -= chunk
            count, found = run_chunk(name, chunk, seed, keep, parsed)
            done += count
            if found:
                findings.append(found)
                print(f"\nFOUND by {name}: {found}", flush=True)
            print(
                f"\r{done} cases, {len(findings)} findings, {time.monotonic() - began:.0f} s ", end="", flush=True
            )
    print()
    return 1 if findings else 0


def main():
    """Parse the command line."""
    parser = argparse.ArgumentParser(description="Fuzz everything that reads files.")
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--target", help="only this one")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", default="fuzz-findings", help="folder for findings")
    parser.add_argument("--shrink", action="store_true", help="make findings small")
    parser.add_argument("--replay", metavar="FILE", help="read a kept document again")
    parser.add_argument("--group", default="0/1", help="I/N: every N-th target, from the I-th on")
    parser.add_argument("--seeds", action="store_true", help="read what is valid first: it must be readable")
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    parsed = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    if parsed.replay:
        return replay(parsed)
    if parsed.folder:
        return work(parsed)
    return master(parsed)


if __name__ == "__main__":
    sys.exit(main())
