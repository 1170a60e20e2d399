"""Which files gguf/PATH takes, and what it says of the others."""

import hashlib

import pytest
from gguf_files import write_gguf
from hypothesis import given, settings
from hypothesis import strategies as st

from sotaque.errors import UnknownModel
from sotaque.models.gguf_header import Broken, read_header
from sotaque.models.gguf_place import check_gguf, find_gguf


def refused(path) -> str:
    with pytest.raises(UnknownModel) as caught:
        check_gguf(str(path))
    return str(caught.value)


def test_a_whole_file_is_known_by_the_hash_of_its_bytes(tmp_path, monkeypatch):
    monkeypatch.setenv("SOTAQUE_MODELS", str(tmp_path / "models"))
    path = write_gguf(tmp_path / "modelo.gguf", {"general.name": "Saudade", "general.size_label": "1B"})
    file = find_gguf(str(path))
    assert file.digest == hashlib.sha256(path.read_bytes()).hexdigest()
    assert file.about == "modelo.gguf, Saudade, 1B, llama"
    renamed = path.rename(tmp_path / "outro.gguf")
    assert find_gguf(str(renamed)).digest == file.digest


def test_the_hash_is_remembered_until_the_file_changes(tmp_path, monkeypatch):
    monkeypatch.setenv("SOTAQUE_MODELS", str(tmp_path / "models"))
    path = write_gguf(tmp_path / "modelo.gguf", {})
    first = find_gguf(str(path)).digest
    monkeypatch.setattr("sotaque.models.local_place.file_hash", lambda path: pytest.fail("read again"))
    assert find_gguf(str(path)).digest == first
    monkeypatch.undo()
    monkeypatch.setenv("SOTAQUE_MODELS", str(tmp_path / "models"))
    write_gguf(path, {"general.name": "another"})
    assert find_gguf(str(path)).digest != first


def test_the_header_is_read_past_the_vocabulary(tmp_path):
    template = "{% for m in messages %}«{{ m.content }}» ‌{% endfor %}"
    header = read_header(
        write_gguf(
            tmp_path / "m.gguf",
            {
                "tokenizer.ggml.tokens": ["saud", "ade", "می‌"],
                "tokenizer.chat_template": template,
                "tokenizer.ggml.add_bos_token": True,
                "llama.block_count": 30,
                "llama.embedding_length": 576,
                "llama.attention.head_count": 9,
                "llama.attention.head_count_kv": 3,
            },
        )
    )
    assert header.chat_template == template
    assert header.window == 2048
    assert header.cache_values == 30 * 3 * (64 + 64)
    assert header.flag("tokenizer.ggml.add_bos_token", default=False)


def test_no_such_file_names_its_neighbours(tmp_path):
    write_gguf(tmp_path / "vizinho.gguf", {})
    assert "there is no such file" in refused(tmp_path / "modelo.gguf")
    assert "vizinho.gguf" in refused(tmp_path / "modelo.gguf")
    assert "no folder" in refused(tmp_path / "nada" / "modelo.gguf")


def test_a_folder_is_told_which_file_to_name(tmp_path):
    assert "there is no .gguf file in it" in refused(tmp_path)
    write_gguf(tmp_path / "modelo.gguf", {})
    assert f"gguf/{tmp_path / 'modelo.gguf'}" in refused(tmp_path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "it is empty"),
        (b"PK\x03\x04 a zip file", "begins with b'PK"),
        (b"GGUF", "damaged or cut off"),
        (b"GGUF\x00\x00\x00\x03" + bytes(16), "version 50331648"),
        (b"GGUF\x03\x00\x00\x00" + b"\xff" * 16, "damaged or cut off"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "begins with b'vers'"),
    ],
)
def test_what_is_no_gguf_file(tmp_path, content, said):
    path = tmp_path / "modelo.gguf"
    path.write_bytes(content)
    assert "is not a whole GGUF file" in refused(path)
    assert said in refused(path)


def test_a_file_cut_off_anywhere_is_not_whole(tmp_path):
    whole = write_gguf(tmp_path / "modelo.gguf", {"tokenizer.ggml.tokens": ["saud", "ade"]}).read_bytes()
    cut = tmp_path / "cut.gguf"
    for size in range(len(whole)):
        cut.write_bytes(whole[:size])
        with pytest.raises(Broken):
            read_header(cut)


@settings(max_examples=200, deadline=None)
@given(place=st.integers(0, 200), byte=st.integers(0, 255))
def test_a_flipped_byte_is_read_or_refused_but_never_crashes(tmp_path_factory, place, byte):
    path = write_gguf(tmp_path_factory.mktemp("flip") / "m.gguf", {"tokenizer.ggml.tokens": ["saud", "ade"]})
    raw = bytearray(path.read_bytes())
    raw[place % len(raw)] = byte
    path.write_bytes(raw)
    try:
        header = read_header(path)
    except Broken as error:
        assert str(error)
    else:
        assert header.bytes_needed <= len(raw)


def part(folder, number, count=3):
    return folder / f"modelo-{number:05}-of-{count:05}.gguf"


def test_all_parts_make_one_model(tmp_path, monkeypatch):
    monkeypatch.setenv("SOTAQUE_MODELS", str(tmp_path / "models"))
    for number in (1, 2, 3):
        write_gguf(part(tmp_path, number), {"split.no": number})
    whole = find_gguf(str(part(tmp_path, 1)))
    write_gguf(part(tmp_path, 3), {"split.no": 33})
    assert find_gguf(str(part(tmp_path, 1))).digest != whole.digest


def test_a_part_that_lacks_is_named(tmp_path):
    write_gguf(part(tmp_path, 1), {})
    write_gguf(part(tmp_path, 3), {})
    assert "1 of them lack: modelo-00002-of-00003.gguf" in refused(part(tmp_path, 1))


def test_a_later_part_names_the_first(tmp_path):
    write_gguf(part(tmp_path, 2), {})
    assert "part 2 of 3" in refused(part(tmp_path, 2))
    assert "modelo-00001-of-00003.gguf" in refused(part(tmp_path, 2))


def test_a_part_that_is_cut_off_is_named(tmp_path):
    for number in (1, 2, 3):
        write_gguf(part(tmp_path, number), {})
    part(tmp_path, 2).write_bytes(part(tmp_path, 2).read_bytes()[:-10])
    assert "modelo-00002-of-00003.gguf is not a whole GGUF file" in refused(part(tmp_path, 1))


@pytest.mark.parametrize(
    "values",
    [
        {"general.architecture": "clip"},
        {"general.type": "adapter"},
        {"general.architecture": "bert", "bert.attention.causal": False},
    ],
)
def test_what_is_no_language_model(tmp_path, values):
    assert "holds no language model" in refused(write_gguf(tmp_path / "m.gguf", values))
