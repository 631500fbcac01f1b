"""Warp collectives of the SIMT model: the result of each lane once all lanes of a group have arrived."""

from typing import Any, NamedTuple

import numpy as np

from cooperation.simt_values import Int32, int32


class Undefined(Exception):
    """The kernel does something that CUDA leaves undefined."""


class Request(NamedTuple):
    """What a thread waits for. `mask`: the lanes it names; `extra`: operands of some operations only."""

    op: str
    mask: int = 0
    value: Any = None
    extra: Any = None


def collective(op, mask, value=None, extra=None):
    return Request(op, int(mask) & 0xFFFFFFFF, value, extra)


def source_lane(op, lane, step, width):
    """The lane that a shuffle reads, as in PTX: the lane itself if the result is outside its segment."""
    step &= 31
    within = width - 1
    first, last = lane & ~within, lane | within
    if op == "shfl":
        return first | (step & within)
    if op == "shfl_up":
        return lane - step if lane - step >= first else lane
    source = lane + step if op == "shfl_down" else lane ^ step
    return source if source <= last else lane


def _shuffle(op, values, extras):
    answers = {}
    for lane, (step, width) in extras.items():
        source = source_lane(op, lane, int(step), int(width))
        if source not in values:
            raise Undefined(f"{op}: lane {lane} reads lane {source}, which does not take part")
        answers[lane] = values[source]
    return answers


def _same_bits(value):
    return int(value) if isinstance(value, int) else np.asarray(value).tobytes()


def _match(op, values):
    groups = {}
    for lane, value in values.items():
        groups.setdefault(_same_bits(value), []).append(lane)
    if op == "match_any":
        sets = {lane: int32(lanes_bits(group)) for group in groups.values() for lane in group}
        return {lane: sets[lane] for lane in values}
    answer = (int32(lanes_bits(values)), True) if len(groups) == 1 else (Int32(0), False)
    return dict.fromkeys(values, answer)


def lanes_bits(lanes):
    return sum(1 << lane for lane in lanes)


def answers(op, requests):
    """The answer of each lane. `requests`: lane to Request, all with the same operation and mask."""
    values = {lane: request.value for lane, request in requests.items()}
    if op.startswith("shfl"):
        return _shuffle(op, values, {lane: request.extra for lane, request in requests.items()})
    if op.startswith("match"):
        return _match(op, values)
    if op in ("ballot", "activemask"):
        return dict.fromkeys(values, int32(lanes_bits(lane for lane, value in values.items() if value)))
    truth = [bool(value) for value in values.values()]
    answer = {
        "all": all(truth), "any": any(truth), "eq": len({*truth}) == 1, "syncwarp": None,
    }[op]  # fmt: skip
    return dict.fromkeys(values, answer)
