"""Every command in the documentation is run; what the pages list is what the code has.

Blocks ```console hold lines ``$ command``, run in order, each page in a folder of its own. Blocks ```toml file=NAME and
```jsonl file=NAME are written to that file first. Blocks ```sh hold commands that need the network or set things up:
their offline equivalent is run. A command of a form that is not known here fails.
"""

import importlib.util
import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from cli_tree import commands, leaves, options
from command_line import ROOT, sotaque
from fault_server import FaultServer, always, chat
from optional_parts import require, require_module
from sotaque.data.files import place_of
from sotaque.errors import SotaqueError
from sotaque.models.baselines import RULES
from sotaque.models.providers import PROVIDERS
from sotaque.records import Metric, Outcome
from sotaque.suites.suite import load_suite

PAGES = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "CONTRIBUTING.md")
    if page.exists()
]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PIPS_OPTIONS = {"--index-url"}
FENCE = re.compile(r"^```(\S*) *(?:file=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One fenced block of a page."""

    language: str
    file: str
    text: str

    @property
    def commands(self) -> list[str]:
        if self.language == "console":
            return [line.removeprefix("$ ") for line in self.text.splitlines() if line.startswith("$ ")]
        lines = (line.partition("  #")[0].strip() for line in self.text.splitlines())
        return [line for line in lines if line] if self.language == "sh" else []


def blocks(page: Path) -> list[Block]:
    return [Block(*found) for found in FENCE.findall(page.read_text(encoding="utf-8"))]


def text_of(*pages: Path) -> str:
    return "\n".join(page.read_text(encoding="utf-8") for page in pages or PAGES)


RUNNABLE = [(page, number) for page in PAGES for number, block in enumerate(blocks(page)) if block.commands]


# ---------------------------------------------------------------- running


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultServer]:
    """Stands in for OpenAI's, where the pages name it."""
    with FaultServer(always(chat("الف"))) as running:
        monkeypatch.setenv("OPENAI_BASE_URL", running.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-nobodys")
        yield running


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_of_a_page_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: FaultServer, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(tmp_path)
    for block in blocks(page):
        if block.file:
            (tmp_path / block.file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / block.file).write_text(block.text, encoding="utf-8")
        assert block.language != "console" or block.commands, f"a console block without a command:\n{block.text}"
        for line in block.commands:
            run_line(line, request)


def run_line(line: str, request: pytest.FixtureRequest) -> None:
    """Run one line of the documentation, or its equivalent without the network.

    ``make X`` is looked up with ``make -n``; ``pip install 'sotaque[X]'`` in pyproject.toml; ``export KEY=...`` among
    the keys that exist; ``data pull`` and ``--source official`` find the published files already downloaded.
    """
    for words in (shlex.split(part) for part in line.split(" && ")):
        if words[0] == "make":
            dry = subprocess.run([*words, "-n"], cwd=ROOT, capture_output=True, text=True, check=False)
            assert dry.returncode == 0, dry.stderr
        elif words[:2] == ["pip", "install"]:
            (wanted,) = words[2:]
            name, extra = re.fullmatch(r"(\.|\w+)(?:\[(\w+)\])?", wanted).groups()
            assert name in (".", PROJECT["name"])
            assert extra is None or extra in PROJECT["optional-dependencies"]
        elif words[0] == "export" and words[1].endswith("_API_KEY=..."):
            assert words[1].removesuffix("=...") in {provider.key for provider in PROVIDERS.values()}
        elif words[0] == "sotaque":
            run_sotaque(words[1:], request)
        else:
            pytest.fail(f"a command of a form that this test does not know: {line}")


def run_sotaque(words: list[str], request: pytest.FixtureRequest) -> None:
    """Local models run on few items with few new tokens; hf/PATH is the folder of the prepared one.

    BERTimbau is on the hub: a small encoder in a folder stands in for it.
    """
    if "local" in words or "hf/PATH" in words:
        folder = local_model(request)
        words = [word.replace("hf/PATH", f"hf/{folder}") for word in words]
        if words[0] == "run":
            words += ["--max-tokens", "2"] if "--limit" in words else ["--max-tokens", "2", "--limit", "1"]
    if "gguf/model.gguf" in words:
        words = [word.replace("model.gguf", str(gguf_file(request))) for word in words] + ["--max-tokens", "2"]
        if importlib.util.find_spec("llama_cpp") is None:  # which takes minutes to compile; the server only writes
            words = [word if word != "all" else "generate" for word in words]
    if "qa_exemplo" in words:
        words += encoder_options(request)
    if "pull" in words or "official" in words:
        request.getfixturevalue("downloaded")
    ended = sotaque(*expanded(words))
    assert ended.code == 0, f"sotaque {shlex.join(words)}\n{ended.err}"


def gguf_file(request: pytest.FixtureRequest) -> Path:
    """The file that ``local`` is made from."""
    from sotaque.models.prepare import GGUF

    require_module("xllamacpp")
    return local_model(request).parent / GGUF


def encoder_options(request: pytest.FixtureRequest) -> list[str]:
    require_module("bert_score", "torch", "transformers")
    from tiny_encoder import save_encoder

    folder = save_encoder(request.getfixturevalue("tmp_path") / "encoder")
    return ["--encoder", str(folder), "--encoder-layer", "2"]


def expanded(words: list[str]) -> list[str]:
    """Patterns of file names, as a shell expands them."""
    found: list[str] = []
    for word in words:
        names = sorted(str(path) for path in Path().glob(word)) if "*" in word else [word]
        assert names, f"nothing is called {word}"
        found += names
    return found


def local_model(request: pytest.FixtureRequest) -> Path:
    """The folder of the prepared model, which ``local`` then finds."""
    require_module("torch", "transformers", "gguf", "accelerate")
    request.getfixturevalue("one_thread")
    from local_model import users_local
    from sotaque.models.prepare import FOLDER

    models, reason = users_local()
    require(not reason, reason or "the local model")
    request.getfixturevalue("monkeypatch").setenv("SOTAQUE_MODELS", str(models))
    return models / FOLDER


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Two threads wait for each other for most of the time when other tests want the same cores."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def downloaded(official: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The published files where ``data pull`` would have put them."""
    monkeypatch.setenv("SOTAQUE_DOWNLOADS", str(tmp_path / "downloads"))
    source = load_suite("masalbench").sources["official"]
    for file in source.files.values():
        place = place_of(file, Path())
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes((official / "masalbench" / file.name).read_bytes())


# ---------------------------------------------------------------- what the pages list


def exit_codes(kind: type[SotaqueError] = SotaqueError) -> set[int]:
    return {kind.exit_code}.union(*(exit_codes(child) for child in kind.__subclasses__()))


def rows(page: str, heading: str) -> set[str]:
    """First cells of the table that begins with a heading, taken apart at commas."""
    table = text_of(ROOT / "docs" / page).split(f"| {heading} |", 1)[1].split("\n\n", 1)[0]
    cells = [line.split("|")[1] for line in table.splitlines()[2:]]
    return {word.strip().strip("`") for cell in cells for word in cell.split(",")}


def test_every_exit_code_is_documented() -> None:
    assert {int(code) for code in rows("running.md", "code")} == exit_codes() | {0, 1}


def test_every_outcome_is_documented() -> None:
    assert rows("results.md", "outcome") == {outcome.value for outcome in Outcome}


@pytest.mark.parametrize("page", ["suites.md", "results.md"])
def test_every_metric_is_documented(page: str) -> None:
    text = text_of(ROOT / "docs" / page)
    for metric in Metric:
        assert f"`{metric}`" in text


def test_every_provider_and_its_key_are_documented() -> None:
    text = text_of(ROOT / "docs" / "models.md")
    for kind, provider in PROVIDERS.items():
        assert f"`{kind}/NAME`" in text
        assert not provider.key_required or f"`{provider.key}`" in text


def test_every_baseline_is_documented() -> None:
    text = text_of(ROOT / "docs" / "models.md")
    for name in RULES:
        assert f"`{name}`" in text or f"`baseline/{name}`" in text


def test_every_command_is_documented_and_in_the_changelog() -> None:
    pages, changelog = text_of(), text_of(ROOT / "CHANGELOG.md")
    for path in leaves():
        name = " ".join(path)
        assert f"sotaque {name}" in pages or f"`{name}`" in pages
        assert f"`{name}`" in changelog or f"`sotaque {name}`" in changelog


def test_every_option_of_run_is_documented_and_every_documented_option_exists() -> None:
    written = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text_of()))
    known = set().union(*(options(command) for _, command in commands()))
    assert written - known - PIPS_OPTIONS == set()
    (run,) = [command for path, command in commands() if path == ("run",)]
    assert sorted(options(run) - written - {"--help"}) == []


def test_links_lead_to_files_and_headings_that_exist() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert target.startswith("https://") or (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_commands_that_are_run_are_the_ones_people_see() -> None:
    """Guards the reading of pages: a fence that is not recognised would silently run nothing."""
    for page in PAGES:
        fences = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("```")]
        assert len(fences) == 2 * len(blocks(page))
        for block in blocks(page):
            shown = len(re.findall(r"(?m)^\$ ", block.text))
            assert shown == (len(block.commands) if block.language == "console" else 0)
    assert len(RUNNABLE) >= 10


@pytest.mark.parametrize(
    "page", [page for page in PAGES if "```python" in page.read_text(encoding="utf-8")], ids=lambda page: page.name
)
def test_python_in_the_documentation_runs(page, capsys):
    blocks = [code for kind, _, code in FENCE.findall(page.read_text(encoding="utf-8")) if kind == "python"]
    for code in blocks:
        exec(compile(code, page.name, "exec"), {})
    assert capsys.readouterr().out
