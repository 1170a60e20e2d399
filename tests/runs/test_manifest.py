"""run.json: stable bytes, nothing personal, strict reading."""

import json
import platform
from pathlib import Path

import pytest
from pydantic import ValidationError

from run_folders import manifest
from sotaque.records import RunSpec
from sotaque.runs import Environment, Manifest, ModelRecord
from sotaque.runs.manifest import manifest_json


def test_manifest_reads_back_as_written():
    assert Manifest.model_validate_json(manifest_json(manifest())) == manifest()


def test_the_set_of_items_is_written_in_order():
    assert json.loads(manifest_json(manifest()))["spec"]["items"] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("home", "given", "written"),
    [
        ("/home/ana", "/home/ana/models/m", "~/models/m"),
        ("/home/ana", "/home/ana", "~"),
        ("/home/ana", "/home/anabela/m", "/home/anabela/m"),
        ("/home/ana", "https://host/home/ana/m", "https://host/home/ana/m"),
        ("/home/ana", "hf model in /home/ana/m", "hf model in ~/m"),
        ("/", "/models/m", "/models/m"),
    ],
)
def test_the_home_folder_is_not_told(home, given, written, monkeypatch):
    monkeypatch.setenv("HOME", home)
    assert str(Path.home()) == home
    text = manifest_json(manifest(model=ModelRecord(name=given, details={"path": given}), spec=RunSpec(given, given)))
    tree = json.loads(text)
    assert (tree["model"]["name"], tree["model"]["details"]["path"], tree["spec"]["suite"]) == (written,) * 3


def test_environment_names_software_only():
    assert platform.node() not in Environment().model_dump_json()
    assert Environment().python == platform.python_version()


def test_persian_stays_readable_in_the_file():
    assert "ضرب‌المثل" in manifest_json(manifest(warnings=("ضرب‌المثل",))).decode()


def test_a_misspelt_field_is_refused():
    with pytest.raises(ValidationError, match="protocoll"):
        manifest(protocoll="default")
