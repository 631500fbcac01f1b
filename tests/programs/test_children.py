"""Children that work on random programs: each result arrives, whatever a child prints."""

import children

LOUD = """
import sys

def work(item):
    print(f"words about {item} " * 40, file=sys.stderr)
    if item == 9999:
        raise SystemExit(3)
    return item
"""


def run_loud(tmp_path, items):
    (tmp_path / "loud.py").write_text(LOUD)
    return dict(children.run("loud", items, limit=5.0, count=1, environment={"PYTHONPATH": str(tmp_path)}))


def test_children_may_print_more_than_a_pipe_holds(tmp_path):
    assert run_loud(tmp_path, range(300)) == {item: item for item in range(300)}


def test_last_words_are_about_the_item(tmp_path):
    crash = run_loud(tmp_path, [1, 9999, 2])[9999]["crash"]
    assert crash.startswith("the process ended with 3: words about 9999")
    assert "words about 1 " not in crash
