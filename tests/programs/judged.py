"""Random programs of one kind, judged in children: the results of those that agree, or what is wrong with the rest."""

import os

import children


def problem_of(result):
    """What went wrong, as text; "" if nothing did."""
    return result.get("crash") or result.get("error") or "\n".join(result.get("differences", []))


def shown(item):
    return " ".join(map(str, item)) if isinstance(item, list) else item


def judged(kind, items, **options):
    """What the judge of that kind says of each program; fails if any went wrong."""
    results, failures = [], []
    for item, result in children.run(f"programs.judges.{kind}", items, **options):
        if problem := problem_of(result):
            failures.append(f"python -m programs {kind} {shown(item)} (in tests/):\n{problem}")
        else:
            results.append(result)
    assert not failures, f"{len(failures)} programs went wrong\n" + "\n".join(failures[:8])
    return results


def seeds(first, count, part=0):
    """The seeds of a part of a run, unless the environment names others (docs/testing.md)."""
    count = int(os.environ.get("TREADLE_PROGRAMS_KERNELS", count))
    first = int(os.environ.get("TREADLE_PROGRAMS_SEED", first)) + part * count
    return range(first, first + count)
