"""Instances in the formats of CVRPLIB and of Solomon, read by ``vrplib``, with their rounding conventions."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import gapless as gl
from gapless_vehicle_routing.network import Ints
from gapless_vehicle_routing.problem import VehicleRoutingProblem

SUFFIXES = {".vrp": "vrplib", ".txt": "solomon"}


def euclidean(places: NDArray[np.float64], rounding: str) -> tuple[Ints, int]:
    """Compute integer Euclidean distances, int64 (n + 1, n + 1), and the scale of their unit.

    Parameters
    ----------
    places : float64 (n + 1, 2)
    rounding : str
        ``"nearest"``: to the nearest integer, halves up (CVRPLIB, EUC_2D). ``"up"``: to the next integer (CEIL_2D).
        ``"tenth"``: down to a tenth (Solomon's instances, DIMACS challenge of 2021); the scale is 10.
    """
    x, y = np.asarray(places, np.float64).T
    exact = np.hypot(x[:, None] - x[None], y[:, None] - y[None])
    rounded = {
        "nearest": (np.floor(exact + 0.5), 1),
        "up": (np.ceil(exact), 1),
        "tenth": (np.floor(10 * exact), 10),
    }
    if rounding not in rounded:
        raise gl.InvalidProblem(f"rounding is {rounding!r}, expected one of {', '.join(rounded)}")
    distances, scale = rounded[rounding]
    return distances.astype(np.int64), scale


def read_vrplib(path: str | os.PathLike[str], *, vehicles: int | None = None) -> VehicleRoutingProblem:
    """Read a capacitated instance in the VRPLIB format of CVRPLIB.

    Distances are Euclidean and rounded (EUC_2D, CEIL_2D), or explicit.

    Parameters
    ----------
    path : str or path-like
    vehicles : int, optional
        Limit on routes; by default that of the file, which usually has none. Some optima of the literature are for
        the number in the instance's name: with eight vehicles P-n22-k8 has 603, with nine 590.

    Raises
    ------
    InvalidProblem
        The file is missing or no instance of capacitated routing from one depot; the message names the file.
    ImportError
        ``vrplib`` is missing: ``pip install 'gapless-vehicle-routing[vrplib]'``.
    """
    given = _read(path, "vrplib")
    if given.get("type", "CVRP") != "CVRP":
        raise gl.InvalidProblem(f"{path}: TYPE is {given['type']}, only CVRP is read")
    kind = given.get("edge_weight_type")
    count = int(_wanted(path, given, "dimension"))
    depot = np.atleast_1d(_wanted(path, given, "depot"))
    if depot.size != 1 or not 0 <= depot[0] < count:
        raise gl.InvalidProblem(f"{path}: expected one depot, found {depot.size}")
    order = np.append(depot, np.setdiff1d(np.arange(count), depot)).astype(np.int64)
    places = given.get("node_coord")
    if kind in ("EUC_2D", "CEIL_2D"):
        places = _shaped(path, _wanted(path, given, "node_coord"), (count, 2), "NODE_COORD_SECTION")
        distances, _ = euclidean(places, "nearest" if kind == "EUC_2D" else "up")
    elif kind == "EXPLICIT":
        distances = _shaped(path, _wanted(path, given, "edge_weight"), (count, count), "EDGE_WEIGHT_SECTION")
        places = given.get("display_data", places)
    else:
        raise gl.InvalidProblem(f"{path}: EDGE_WEIGHT_TYPE is {kind}, expected EUC_2D, CEIL_2D or EXPLICIT")
    demands = _shaped(path, _wanted(path, given, "demand"), (count,), "DEMAND_SECTION")
    shown = places is not None and np.shape(places) == (count, 2)
    return _built(
        path,
        distances=np.asarray(distances)[np.ix_(order, order)],
        demands=demands[order],
        capacity=_wanted(path, given, "capacity"),
        vehicles=given.get("vehicles") if vehicles is None else vehicles,
        places=np.asarray(places)[order] if shown else None,
    )


def read_solomon(path: str | os.PathLike[str], *, customers: int | None = None) -> VehicleRoutingProblem:
    """Read an instance of Solomon (1987); distances and times are Euclidean, rounded down to tenths.

    Parameters
    ----------
    path : str or path-like
    customers : int, optional
        Only the first of them, as the instances with 25 and 50 customers are made.

    Raises
    ------
    InvalidProblem, ImportError
        As for `read_vrplib`.
    """
    given = _read(path, "solomon")
    places = np.asarray(_wanted(path, given, "node_coord"))
    count = len(places)
    if customers is not None and not 1 <= customers < count:
        raise gl.InvalidProblem(f"{path}: has {count - 1} customers, {customers} are asked for")
    first = slice(0, count if customers is None else customers + 1)
    distances, scale = euclidean(_shaped(path, places, (count, 2), "coordinates")[first], "tenth")
    return _built(
        path,
        distances=distances,
        demands=_shaped(path, _wanted(path, given, "demand"), (count,), "demands")[first],
        capacity=_wanted(path, given, "capacity"),
        vehicles=given.get("vehicles"),
        windows=scale * _shaped(path, _wanted(path, given, "time_window"), (count, 2), "time windows")[first],
        service=scale * _shaped(path, _wanted(path, given, "service_time"), (count,), "service times")[first],
        places=places[first],
        scale=scale,
    )


def read_instance(path: str | os.PathLike[str], *, customers: int | None = None) -> VehicleRoutingProblem:
    """Read a .vrp file by `read_vrplib`, a .txt file by `read_solomon`."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise gl.InvalidProblem(f"{path}: the name ends in {suffix or 'nothing'}, expected .vrp or .txt (Solomon)")
    if SUFFIXES[suffix] == "solomon":
        return read_solomon(path, customers=customers)
    if customers is not None:
        raise gl.InvalidProblem(f"{path}: only instances of Solomon are cut to their first customers")
    return read_vrplib(path)


def instance_files(paths: Sequence[str | os.PathLike[str]]) -> list[Path]:
    """List the files in `paths`, and every .vrp and .txt file in the folders of `paths`, sorted by name."""
    files: list[Path] = []
    for path in map(Path, paths):
        if not path.exists():
            raise gl.InvalidProblem(f"{path}: no such file or folder")
        inside = sorted(p for p in path.rglob("*") if p.suffix.lower() in SUFFIXES) if path.is_dir() else [path]
        if not inside:
            raise gl.InvalidProblem(f"{path}: no file in this folder ends in .vrp or .txt")
        files += inside
    return files


def _read(path: str | os.PathLike[str], style: str) -> dict[str, Any]:
    try:
        import vrplib  # noqa: PLC0415  an extra
    except ImportError as error:
        raise ImportError("this reader needs vrplib: pip install 'gapless-vehicle-routing[vrplib]'") from error
    try:
        found: dict[str, Any] = vrplib.read_instance(path, instance_format=style, compute_edge_weights=False)
    except FileNotFoundError as error:
        raise gl.InvalidProblem(f"{path}: no such file") from error
    except Exception as error:  # the package raises whatever its parsing meets
        raise gl.InvalidProblem(f"{path}: no {style} instance ({type(error).__name__}: {error})") from error
    return found


def _wanted(path: str | os.PathLike[str], given: dict[str, Any], name: str) -> Any:
    if name not in given:
        raise gl.InvalidProblem(f"{path}: has no {name}; the file may have been cut short")
    return given[name]


def _shaped(path: str | os.PathLike[str], values: Any, shape: tuple[int, ...], name: str) -> NDArray[Any]:
    array = np.asarray(values)
    if array.dtype.kind not in "iuf":
        raise gl.InvalidProblem(f"{path}: {name} holds something else than numbers")
    if array.shape != shape:
        raise gl.InvalidProblem(f"{path}: {name} holds numbers of shape {array.shape}, expected {shape}")
    return array


def _built(path: str | os.PathLike[str], **fields: Any) -> VehicleRoutingProblem:
    try:
        return VehicleRoutingProblem(**fields)
    except gl.InvalidProblem as error:
        raise gl.InvalidProblem(f"{path}: {error}") from error
