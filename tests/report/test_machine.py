"""``--json``."""

import json

from run_folders import published_data_run
from sotaque.report.machine import to_json
from sotaque.runs import Manifest


def test_one_document_with_manifest_summary_and_sentences(tmp_path):
    run = published_data_run(tmp_path / "run")
    tree = json.loads(to_json([run, run]))
    assert (tree["format"], len(tree["runs"])) == (1, 2)
    one = tree["runs"][0]
    assert Manifest.model_validate_json(json.dumps(one["manifest"])) == run.manifest
    accuracy = one["summary"]["tasks"]["contextual"]["metrics"]["accuracy"]
    assert (accuracy["value"], accuracy["n"]) == (0.91, 1000)
    assert one["summary"]["tasks"]["contextual"]["outcomes"]["truncated"] == 6
    assert one["unscored_share"] == 0.0
    assert one["notices"][1].startswith("The score of 91.0 % is not distinguishable")
    assert one["summary"] == json.loads((tmp_path / "run" / "summary.json").read_text(encoding="utf-8"))
