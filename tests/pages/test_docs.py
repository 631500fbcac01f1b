"""The printed tables of the documentation match the code, and the README's examples run."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_tables_are_up_to_date():
    command = [sys.executable, ROOT / "docs/tables.py", "--check"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def test_readme_programs_run(tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    assert len(blocks) == 2
    program = tmp_path / "readme.py"
    program.write_text("\n".join(blocks))
    result = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("[1. 3. 5. 7.]\n")
    assert ".visible .entry" in result.stdout


def test_programs_of_the_page_on_tracing_run(tmp_path):
    (block,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs/tracing.md").read_text(), re.S)
    program = tmp_path / "page.py"
    program.write_text(block)
    result = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    assert {path.name for path in tmp_path.glob("*.json")} == {"run.json", "again.json"}


def test_programs_of_the_page_on_random_numbers_run(tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/random.md").read_text(), re.S)
    program = tmp_path / "page.py"
    program.write_text("\n".join(blocks))
    result = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=60)
    assert (result.returncode, result.stdout) == (0, "True\n9999.0 9.0 20000.0\n"), result.stderr


def run_page(page, tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.S)
    program = tmp_path / "page.py"
    program.write_text("\n".join(blocks))
    return subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=60)


def test_program_of_the_page_on_memory_managers_runs(tmp_path):
    result = run_page("docs/managers.md", tmp_path)
    assert (result.returncode, result.stdout) == (0, "3000.0 MemoryInfo(free=992000, total=1000000)\n0\n"), (
        result.stderr
    )


def test_program_of_the_page_on_shared_memory_runs(tmp_path):
    result = run_page("docs/ipc.md", tmp_path)
    assert (result.returncode, result.stdout) == (0, "[0. 2. 4. 6.]\n"), result.stderr


def test_program_of_the_page_with_the_example_for_the_cpu_runs(tmp_path):
    result = run_page("docs/cpu-example.md", tmp_path)
    assert result.returncode == 0, result.stderr
    tree = re.findall(r"```\n(  part\.2 = .*?)```", (ROOT / "docs/cpu-example.md").read_text(), re.S)[0]
    assert tree in result.stdout


def test_links_of_the_documentation_lead_somewhere():
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    for page in pages:
        prose = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(), flags=re.S)
        for target in re.findall(r"\]\(([^)#:]+)\)", prose):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_examples_in_docstrings_run(run_python):
    """In processes of their own, since one of them redirects imports."""
    code = """
import doctest, importlib, pathlib, treadle
folder = pathlib.Path(treadle.__file__).parent
for path in sorted(folder.rglob("*.py")):
    name = ".".join(["treadle", *path.relative_to(folder).with_suffix("").parts]).removesuffix(".__init__")
    print(name, *doctest.testmod(importlib.import_module(name)))
"""
    results = {name: (int(failed), int(tried)) for name, failed, tried in map(str.split, run_python(code).splitlines())}
    assert [name for name, (failed, _) in results.items() if failed] == []
    assert results["treadle.redirect"] == (0, 5)
