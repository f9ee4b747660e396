"""``gapless plugins`` and ``gapless methods``: lists of installed plug-ins and methods."""

from __future__ import annotations

import argparse
from typing import Any

import gapless_kernels
from gapless.cli import exit_codes
from gapless.cli.console import Console
from gapless.errors import GaplessError
from gapless.plugins.manager import Plugins
from gapless.plugins.reference import BrokenReference, reference_to
from gapless.plugins.registry import Method, Registry


def list_plugins(_: argparse.Namespace, console: Console, plugins: Plugins) -> int:
    """Run ``gapless plugins``; import all references, so that broken ones are reported."""
    plugins.import_all()
    console.info(f"kernels: {gapless_kernels.INSTRUCTION_SET}")
    for line in plugins.hook.gapless_report_header():
        console.info(line)
    rows = [(p.name, p.distribution, p.version, ", ".join(p.hooks), p.error) for p in plugins.loaded]
    console.table("Plug-ins", ("name", "distribution", "version", "hooks", "error"), rows)
    keys = ("name", "distribution", "version", "hooks", "error")
    plugged = [dict(zip(keys, row, strict=True)) for row in rows]
    console.data({"kernels": gapless_kernels.INSTRUCTION_SET, "plugins": plugged})
    return exit_codes.FAILED if any(p.error for p in plugins.loaded) else exit_codes.PROVED


def list_methods(_: argparse.Namespace, console: Console, plugins: Plugins) -> int:
    """Run ``gapless methods``."""
    registry = plugins.registry
    described: list[dict[str, Any]] = []
    for name in sorted(registry.problems):
        try:
            described += _methods_of(registry, name)
        except BrokenReference as error:
            console.error(f"gapless: {error}")
    for name in dict.fromkeys(m["problem"] for m in described):
        console.table(
            f"Methods for {name}",
            ("method", "exact", "summary; options"),
            [
                (m["method"] + _default(m), "yes" if m["exact"] else "no", _summary(m))
                for m in described
                if m["problem"] == name
            ],
        )
        console.info()
    parts = [
        (kind, name, given if isinstance(given, str) else reference_to(given), registry.owners[kind, name])
        for kind, named in (("factor", registry.factors), ("maximiser", registry.maximisers))
        for name, given in sorted(named.given.items())
    ]
    console.table("Factors and maximisers", ("kind", "name", "class", "plug-in"), parts)
    listed = {
        f"{kind}s": {name: reference for of, name, reference, _ in parts if of == kind}
        for kind in ("factor", "maximiser")
    }
    console.data({"methods": described, **listed, "tasks": {t.name: t.summary for t in registry.tasks.values()}})
    return exit_codes.PROVED


def _default(method: dict[str, Any]) -> str:
    if method["default"]:
        return " (default)"
    return " (default with factors)" if method["default_with_factors"] else ""


def _summary(method: dict[str, Any]) -> str:
    options = ", ".join(f"{name}={value}" for name, value in method["options"].items())
    return f"{method['summary']}; {options}" if options else method["summary"]


def _methods_of(registry: Registry, name: str) -> list[dict[str, Any]]:
    problem = registry.problems[name]
    known = registry.methods_for(problem)
    chosen: list[Method | None] = []
    for factors in ((), (name,)):  # any factor will do
        try:
            chosen.append(registry.find_method(problem, None, factors=factors))
        except GaplessError:
            chosen.append(None)
    return [_described(name, method, [method is default for default in chosen]) for method in known.values()]


def _described(problem: str, method: Method, default: list[bool]) -> dict[str, Any]:
    return {
        "problem": problem,
        "method": method.name,
        "default": default[0],
        "default_with_factors": default[1],
        "factors": method.supports_factors,
        "exact": method.exact,
        "k_best": method.k_best,
        "options": {k: repr(v) for k, v in method.options.items()},
        "summary": method.summary,
    }
