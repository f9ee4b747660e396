"""Decode mixed problems for a long time and watch the memory: ``python tests/soak/soak.py --count 100000``.

Problems of every type, by every method in turn, one by one and in batches, with limits, errors and k best answers
among them; now and then an answer goes through JSON and its certificate is verified. The resident memory is
sampled; after the first fifth, in which caches fill, a line is fitted to it. Its slope must stay below what is
allowed.
"""

import argparse
import gc
import itertools
import json
import sys
import time
from pathlib import Path

import numpy as np
import psutil

import gapless as gl
from gapless.plugins import load_plugins
from gapless.roles import NoCertificate

SAMPLES = 200
WARM = 0.2
"""Share of the run in which caches fill."""

ALLOWED = 30.0
"""Bytes a problem: a list that grows by one pointer and a float with every problem is above."""

SLOW = {"ilp", "ilp-cuts", "branch-price-and-cut", "lp-full", "scip"}
EVERY_SLOW = 50
"""A slow method takes its turn only so often."""

BATCH = 16


def problems(seed):
    """Type after type, an instance and the methods that are for it, for ever; instances are drawn afresh."""
    plugins = load_plugins()
    specimens = list(itertools.chain.from_iterable(plugins.hook.gapless_selftest_instances()))
    rng = np.random.default_rng(seed)
    for turn in itertools.count():
        given = specimens[turn % len(specimens)]
        methods = [
            m
            for m in plugins.registry.methods_for(given.problem).values()
            if m.supports_factors or not given.factors
        ]
        method = methods[turn // len(specimens) % len(methods)]
        if method.name in SLOW and turn // len(specimens) // len(methods) % EVERY_SLOW:
            method = next((one for one in methods if one.name not in SLOW), method)
        yield given, method, given.draw(rng), rng


def decode(count, seed, sample):
    """Decode `count` problems; ``sample(done)`` is called after each."""
    done, told = 0, {"solved": 0, "batched": 0, "verified": 0, "stopped early": 0, "refused": 0}
    for turn, (given, method, problem, rng) in enumerate(problems(seed)):
        if done >= count:
            return told
        limits = gl.Limits(nodes=1) if turn % 7 == 3 else gl.Limits()
        try:
            if method.run_many is not None and turn % 11 == 5:
                many = [problem, *(given.draw(rng) for _ in range(BATCH - 1))]
                for result in gl.solve_many(many, method.name, limits=limits):
                    told["batched"] += result is not None
                done += BATCH - 1
            else:
                result = gl.solve(
                    problem, method.name, limits=limits, k=2 if method.k_best and turn % 5 == 1 else 1
                )
                told["solved"] += 1
                told["stopped early"] += not result.proved
                if turn % 10 == 2 and not isinstance(result.certificate, NoCertificate):
                    record = gl.loads(gl.dumps(gl.Record(problem, result)))
                    verdict = record.verify()
                    if not verdict and result.proved:
                        raise AssertionError(f"{method.name}: {verdict.location}: {verdict.reason}")
                    told["verified"] += bool(verdict)
        except gl.GaplessError:
            told["refused"] += 1
        done += 1
        sample(done)
    return told


def slope(samples):
    """Bytes a problem, by least squares, and how far that may be off (two standard errors)."""
    done, size = np.array(samples, np.float64).T
    kept = done >= WARM * done[-1]
    x, y = done[kept] - done[kept].mean(), size[kept] - size[kept].mean()
    rise = float(x @ y / (x @ x))
    spread = float(np.sqrt(((y - rise * x) ** 2).sum() / max(1, x.size - 2) / (x @ x)))
    return rise, 2.0 * spread


def soak(count, seed=0):
    """Decode and watch; a dictionary with what was done and how memory went."""
    process, samples, began = psutil.Process(), [], time.perf_counter()
    every = max(1, count // SAMPLES)
    due = [0]

    def sample(done):
        if done >= due[0]:
            gc.collect()
            samples.append((done, process.memory_info().rss))
            due[0] = done + every
            if sys.stderr.isatty():
                print(f"\r{done} problems, {samples[-1][1] / 2**20:.1f} MiB ", end="", file=sys.stderr)

    told = decode(count, seed, sample)
    rise, spread = slope(samples)
    return {
        "problems": count,
        **told,
        "seconds": time.perf_counter() - began,
        "first MiB": samples[0][1] / 2**20,
        "warm MiB": next(size for done, size in samples if done >= WARM * count) / 2**20,
        "last MiB": samples[-1][1] / 2**20,
        "bytes a problem": rise,
        "give or take": spread,
        "flat": rise - spread <= ALLOWED,
        "samples": samples,
    }


def drawn(samples):
    """The memory over the problems, as SVG."""
    done, size = np.array(samples, np.float64).T
    x, y = 40 + 540 * done / done[-1], 170 - 150 * size / size.max()
    line = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 200" font-family="sans-serif" font-size="12">'
        '<path d="M40 20V170H580" fill="none" stroke="#888"/>'
        f'<polyline points="{line}" fill="none" stroke="#1b6ca8"/>'
        f'<text x="44" y="16">{size.max() / 2**20:.0f} MiB</text>'
        f'<text x="580" y="188" text-anchor="end">{done[-1]:.0f} problems</text></svg>\n'
    )


def main():
    """Parse the command line."""
    parser = argparse.ArgumentParser(description="Decode mixed problems and watch the memory.")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--svg", metavar="FILE", help="draw the memory")
    parsed = parser.parse_args()
    told = soak(parsed.count, parsed.seed)
    if parsed.svg:
        Path(parsed.svg).write_text(drawn(told["samples"]))
    if parsed.json:
        print(json.dumps(told))
    else:
        for name, value in told.items():
            if name != "samples":
                print(f"{name:>16}  {value:.4g}" if isinstance(value, float) else f"{name:>16}  {value}")
    return 0 if told["flat"] else 1


if __name__ == "__main__":
    sys.exit(main())
