# Work in child processes, each with a time limit: a crash or a hang is reported as a result, with its seed.
"""A worker module has `work(item) -> JSON value`; `run` yields the results as they arrive, even if children crash or
hang."""

import importlib
import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

TESTS = Path(__file__).resolve().parent
fallbacks: Counter[str] = Counter()  # of the kernels that children ran; see tests/conftest.py


class Child:
    """One process that works on one item at a time."""

    def __init__(self, module, environment):
        self.module, self.environment = module, environment
        self.process = None
        self.item = None
        # A file, not a pipe: nobody reads it while the child works, so a pipe would fill up and block the child.
        self.words = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the child)

    def give(self, item):
        if self.process is None or self.process.poll() is not None:
            self.start()
        self.said = self.words_so_far()
        self.item, self.since, self.spent = item, time.monotonic(), self.processor_time()
        self.process.stdin.write(json.dumps(item) + "\n")
        self.process.stdin.flush()

    def start(self):
        self.process = subprocess.Popen(
            [sys.executable, str(TESTS / "children.py"), self.module],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.words, text=True,
            env={**os.environ, **self.environment},
        )  # fmt: skip
        self.process.stdout.readline()  # wait until it has imported its module

    def processor_time(self):
        """Seconds of processor time it has used: limits apply to these, since the machine may be busy."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def is_over(self, limit):
        """Whether it has used more than `limit` seconds of processor time, or six times as many of wall-clock time."""
        return self.processor_time() - self.spent > limit or time.monotonic() - self.since > 6 * limit

    def result(self):
        """The answer, once its line has arrived; the last output of a dead child instead."""
        line = self.process.stdout.readline()
        if line:
            result, counted = json.loads(line)
            fallbacks.update(counted)
            return result
        code = self.process.wait()
        return {"crash": f"the process ended with {code}: {self.last_words()}"}

    def words_so_far(self):
        return os.fstat(self.words.fileno()).st_size

    def last_words(self):
        """What the child last wrote to stderr about its item. The child shares the file's position, which stays."""
        start = max(self.said, self.words_so_far() - 2000)
        return os.pread(self.words.fileno(), 2000, start).decode(errors="replace")

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def run(module, items, limit=10.0, count=None, environment=None):
    """Yields (item, result): what `work` returned, {"error": traceback}, or {"crash": what happened}."""
    children = [Child(module, environment or {}) for _ in range(count or os.cpu_count() or 1)]
    waiting = iter(items)
    busy = {}
    try:
        idle = list(children)
        while True:
            while idle and (item := next(waiting, None)) is not None:
                child = idle.pop()
                child.give(item)
                busy[child.process.stdout] = child
            if not busy:
                return
            ready, _, _ = select.select(list(busy), [], [], 0.2)
            for stream in ready:
                child = busy.pop(stream)
                yield child.item, child.result()
                idle.append(child)
            for stream, child in [*busy.items()]:
                if child.is_over(limit):
                    child.stop()
                    del busy[stream]
                    yield child.item, {"crash": f"no end after {limit} s: {child.last_words()}"}
                    idle.append(child)
    finally:
        for child in children:
            child.stop()


def main():
    """The child: reads items from stdin, writes answers to a copy of stdout that nothing else writes to."""
    import traceback

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    sys.path.insert(0, str(TESTS))
    work = importlib.import_module(sys.argv[1]).work
    print("ready", file=answers, flush=True)
    counted: Counter[str] = Counter()
    for line in sys.stdin:
        try:
            result = work(json.loads(line))
        except Exception:
            result = {"error": traceback.format_exc()[-3000:]}
        core = sys.modules.get("treadle._core")
        total = Counter(core.fallbacks() if core else {})
        answers.write(json.dumps([result, total - counted]) + "\n")
        answers.flush()
        counted = total


if __name__ == "__main__":
    main()
