"""Changed documents: what a careless program, a bad disk or somebody with intent makes of a valid file."""

import copy
import io
import json
import math
import zipfile

import numpy as np

HOSTILE_NUMBERS = [0, -1, 1, 2, -0.0, 0.5, 1e-9, 5e-324, 1e16, 1e300, -1e308]
HOSTILE_NUMBERS += [2**31, 2**63, -(2**63) - 1, 10**25, 10**400]

HOSTILE_TEXT = [
    "",
    " ",
    "inf",
    "-inf",
    "nan",
    "NaN",
    "1_0",
    "abc",
    "\ud800",
    "\x00",
    "é",
    "9" * 5000,
    "-1",
    "1e999",
]
HOSTILE_PARTS = [None, True, False, [], {}, [[]], [None], {"type": None}, {"type": []}, {"type": "tuple"}]
SHAPES = [[], [0], [-1], [1], [2, 2], [10**12], [10**6, 10**6], [0, 10**9], [2**62, 4], "x", None, [1.5], [[1]]]
DTYPES = ["float64", "int64", "float32", "int8", "uint8", "bool", "float16", "object", "U8", "i4,f8", "no", 7, ""]
VALUES = [[], [1], ["inf"], [[1]], 1, "1", [10**30]]
CLASSES = ["float", "tuple", "gapless.Status", "gapless.Sparse", "no.such"]
FOREIGN = [b"\x00", b"\xff", b"\xed\xa0\x80", b"\n", b"\t", b"9", b"-", b"[", b"\xef\xbb\xbf"]


DEEP = "a list in a list in a list"
DIGITS = "more digits than Python reads"
"""Stand for what they name until the document is written: changes need no copy of it."""


def hostile(random):
    """An unexpected value."""
    kind = random.randrange(9)
    if kind < 3:
        return random.choice(HOSTILE_NUMBERS)
    if kind == 3:
        return random.choice([math.nan, math.inf, -math.inf])
    if kind == 4:
        return random.choice(HOSTILE_TEXT)
    if kind == 5:
        return copy.deepcopy(random.choice(HOSTILE_PARTS))
    if kind == 6:
        # Copies: later changes of the document must not reach these lists.
        shape, values = copy.deepcopy(random.choice(SHAPES)), copy.deepcopy(random.choice(VALUES))
        dtype = random.choice(DTYPES)
        return {"type": "array", "dtype": dtype, "shape": shape, "values": values}
    if kind == 7:
        return {"type": random.choice(CLASSES), "value": "nan"}
    return random.choice([DEEP, DIGITS])


def nudged(random, number):
    """Another number, often one that is close."""
    if isinstance(number, bool):
        return not number
    kind = random.randrange(8)
    if kind == 0:
        return random.choice(HOSTILE_NUMBERS)
    if kind < 4:
        return number + random.choice([-2, -1, 1, 2])
    if isinstance(number, int):
        return random.choice([-number, 2 * number, random.randrange(-3, 12), 0.5])
    change = random.choice([1e-12, 1e-9, 1e-6, 1e-3, 0.1, 1.0]) * max(1.0, abs(number))
    return random.choice([number + change, number - change, -number, 0.0, 2 * number])


def place_of(document, random, wanted=lambda node: True):
    """A container and a key in it, drawn by a walk from the root; None when the walk finds nothing."""
    best = None
    node = document
    for _ in range(40):
        if not isinstance(node, (dict, list)) or not node:
            break
        keys = list(node) if isinstance(node, dict) else range(len(node))
        key = keys[random.randrange(len(keys))]
        if wanted(node[key]):
            best = node, key
            if random.random() < 0.3:
                break
        node = node[key]
    return best


def is_number(node):
    return isinstance(node, (int, float)) and not isinstance(node, bool)


def nudge(document, random):
    """Change a number."""
    place = place_of(document, random, is_number)
    if place:
        place[0][place[1]] = nudged(random, place[0][place[1]])


def replace(document, random):
    """Put something else there."""
    place = place_of(document, random)
    if place:
        place[0][place[1]] = hostile(random)


def drop(document, random):
    """Leave something out."""
    place = place_of(document, random)
    if place:
        del place[0][place[1]]


def double(document, random):
    """Say an item of a list twice, or swap two."""
    place = place_of(document, random, lambda node: isinstance(node, list) and node)
    if place:
        items = place[0][place[1]]
        first, second = random.randrange(len(items)), random.randrange(len(items))
        if random.random() < 0.5:
            items.insert(first, copy.deepcopy(items[second]))
        else:
            items[first], items[second] = items[second], items[first]


def splice(document, random):
    """Put a part of the document elsewhere in it."""
    source, target = place_of(document, random), place_of(document, random)
    if source and target:
        target[0][target[1]] = copy.deepcopy(source[0][source[1]])


def rename(document, random):
    """Another name for a field, or another class."""
    place = place_of(document, random, lambda node: isinstance(node, dict) and node)
    if place:
        fields = place[0][place[1]]
        key = random.choice(list(fields))
        if key == "type":
            fields["type"] = random.choice(["gapless.Record", "gapless.PointCertificate", "tuple", "x", 1])
        else:
            fields[random.choice([key + "s", "_" + key, "type", "", "self"])] = fields.pop(key)


def claim(document, random):
    """Say of a result that it is better, or that more is known, as someone would who wants to cheat."""
    result = document.get("result") if isinstance(document, dict) else None
    if not isinstance(result, dict) or not isinstance(result.get("solutions"), dict):
        return nudge(document, random)
    change = random.choice([1e-7, 1e-3, 0.5, 1.0, -1.0, -1e-3, -1e-7])
    if is_number(result.get("bound")):
        result["bound"] += change
    kind = random.randrange(4)
    solutions = result["solutions"].get("items") or []
    if kind == 0:
        for solution in solutions:
            if isinstance(solution, dict) and is_number(solution.get("value")):
                solution["value"] += change
    elif kind == 1:
        result["status"] = {"type": "gapless.Status", "value": random.choice(["optimal", "feasible", "infeasible"])}
        result["stop"] = {"type": "gapless.Stop", "value": random.choice(["proved", "time", "nodes"])}
    elif kind == 2:
        result["solutions"] = {"type": "tuple", "items": []}
        result["status"] = {"type": "gapless.Status", "value": "infeasible"}
        result["stop"] = {"type": "gapless.Stop", "value": "proved"}
        result["bound"] = {"type": "float", "value": random.choice(["-inf", "inf"])}
    return nudge(result.get("certificate") or result, random)


GENTLE = (nudge, nudge, nudge, claim, claim, double, splice)
ROUGH = (replace, replace, drop, rename, splice, double, nudge)


def changed_document(document, random):
    """A copy with one to four changes: all of them small, or some of them rough."""
    made = {"document": copy.deepcopy(document)}
    kinds = GENTLE if random.random() < 0.6 else ROUGH
    for _ in range(random.randrange(1, 5)):
        kind = random.choice(kinds)
        kind(made["document"] if kind is claim else made, random)
        if "document" not in made:
            return None
    return made["document"]


def as_json(document):
    """JSON with NaN and numbers of any length, as other programs write it."""
    text = json.dumps(document).replace(json.dumps(DEEP), "[" * 3000 + "]" * 3000)
    return text.replace(json.dumps(DIGITS), "9" * 5000).encode()


def changed_json(data, random):
    """JSON, mostly well-formed."""
    if random.random() < 0.1:
        return changed_bytes(data, random)
    lines = data.split(b"\n")
    at = random.randrange(len(lines))
    try:
        lines[at] = as_json(changed_document(json.loads(lines[at]), random))
    except (ValueError, RecursionError):
        return changed_bytes(data, random)
    return b"\n".join(lines)


def changed_bytes(data, random):
    """Cut, flipped, doubled, or with foreign bytes inside."""
    made = bytearray(data)
    for _ in range(random.randrange(1, 4)):
        at = random.randrange(len(made) + 1)
        kind = random.randrange(6)
        if kind == 0:
            del made[at:]
        elif kind == 1 and at < len(made):
            made[at] ^= 1 << random.randrange(8)
        elif kind == 2:
            made[at:at] = random.choice(FOREIGN)
        elif kind == 3:
            made[at : at + random.randrange(1, 9)] = b""
        elif kind == 4:
            made[at:at] = made[: random.randrange(len(made) + 1)]
        elif at < len(made):
            made[at] = random.randrange(256)
    return bytes(made)


FIELDS = [
    "",
    " ",
    "-1",
    "0",
    "1",
    "2",
    "9" * 21,
    "1e400",
    "nan",
    "inf",
    "-0.5",
    "0x1",
    "1_0",
    "²",
    "_",
    "é",
    "\ud7ff",
]
FIELDS += ["1-2", "2-1", "1.1", "0.1", "3-", "#", "%", "|", "a=b|", "0:root", "\x0b", "\x85", "\u2028", "9" * 5000]


def changed_lines(data, random):
    """Lines with other fields, too many or too few, or in another order."""
    if random.random() < 0.2:
        return changed_bytes(data, random)
    lines = data.decode().split("\n")
    for _ in range(random.randrange(1, 5)):
        at = random.randrange(len(lines))
        kind = random.randrange(6)
        if kind == 0:
            del lines[at]
        elif kind == 1:
            lines.insert(at, lines[random.randrange(len(lines))])
        elif kind == 2:
            lines.insert(at, random.choice(["", "#", "\t", "\r", " ".join(FIELDS[:3])]))
        else:
            separator = "\t" if "\t" in lines[at] else " "
            fields = lines[at].split(separator)
            place = random.randrange(len(fields))
            if kind == 5:
                fields.insert(place, random.choice(FIELDS))
            else:
                fields[place] = random.choice(FIELDS)
            lines[at] = separator.join(fields)
        if not lines:
            return b""
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def changed_archive(data, random):
    """An npz file with other arrays, or another header."""
    if random.random() < 0.25:
        return changed_bytes(data, random)
    with np.load(io.BytesIO(data), allow_pickle=False) as stored:
        arrays = {name: stored[name] for name in stored.files}
    for _ in range(random.randrange(1, 3)):
        name = random.choice(sorted(arrays))
        if name == "header" and random.random() < 0.9:
            text = changed_json(arrays[name].tobytes(), random)
            arrays[name] = np.frombuffer(text, np.uint8)
            continue
        array = arrays[name]
        kind = random.randrange(6)
        if kind == 0:
            del arrays[name]
        elif kind == 1:
            arrays[name] = array[: random.randrange(array.shape[0] + 1)] if array.ndim else array
        elif kind == 2:
            with np.errstate(invalid="ignore"):
                arrays[name] = array.astype(random.choice(["f4", "f8", "i1", "i8", "U3", "?"]))
        elif kind == 3 and array.size:
            arrays[name] = array.copy()
            flat = arrays[name].reshape(-1)
            odd = [math.nan, math.inf, -1e30] if array.dtype.kind == "f" else [0, 1, 100, 127]
            flat[random.randrange(flat.size)] = random.choice(odd)
        elif kind == 4:
            arrays[name] = array.reshape(1, *array.shape)
        else:
            arrays[name] = arrays[random.choice(sorted(arrays))]
        if not arrays:
            break
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", random.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])) as archive:
        for name, array in arrays.items():
            file = io.BytesIO()
            np.save(file, array, allow_pickle=False)
            archive.writestr(f"{name}.npy", file.getvalue())
    return packed.getvalue()
