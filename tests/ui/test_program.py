"""The modules of the stage, and the one that Python makes of them for its three homes."""

import re
import shutil
import subprocess

import pytest

from viterbi_lab.ui.program import IMPORT, STAGE, joined, stage_js

MODULES = {module.name: module.read_text(encoding="utf-8") for module in STAGE.parent.glob("*.js")}
NODE = shutil.which("node")
DEFINED = r"^(?:export )?(?:async )?(?:function|const) (\w+)"


@pytest.mark.parametrize("name", sorted(MODULES))
def test_a_module_holds_one_idea_and_parses(name):
    assert MODULES[name].count("\n") <= 250
    if NODE:
        subprocess.run([NODE, "--input-type=module", "--check"], input=MODULES[name], text=True, check=True)


def test_the_modules_join_into_one_that_imports_nothing_and_parses():
    source = stage_js()
    assert not re.search(r"^\s*import\b|\bimport\(", source, re.M)
    assert source.count("\nexport ") == 1
    assert "export default { render }" in source
    if NODE:
        subprocess.run([NODE, "--input-type=module", "--check"], input=source, text=True, check=True)


def test_every_module_is_joined_and_no_name_stands_for_two_things():
    names = re.findall(DEFINED, stage_js(), re.M)
    assert sorted(names) == sorted(set(names))
    assert set(names) == {name for source in MODULES.values() for name in re.findall(DEFINED, source, re.M)}


@pytest.mark.parametrize("name", sorted(MODULES))
def test_a_module_imports_what_others_export_and_uses_it(name):
    for found in re.finditer(r'^import \{ ([^}]*) \} from "\./([a-z]+\.js)";$', MODULES[name], re.M):
        for wanted in found[1].split(", "):
            assert re.search(rf"^export (?:async )?(?:function|const) {wanted}\b", MODULES[found[2]], re.M)
            assert len(re.findall(rf"\b{wanted}\b", IMPORT.sub("", MODULES[name]))) > 0


def test_what_a_module_needs_stands_before_it(tmp_path):
    (tmp_path / "a.js").write_text('import { two } from "./b.js";\nexport const four = two + two;\n')
    (tmp_path / "b.js").write_text('import { late } from "./c.js";\nexport const two = 2;\n')
    (tmp_path / "c.js").write_text('import { two } from "./b.js";\nexport function late() { return two; }\n')
    source = joined(tmp_path / "a.js")
    assert source == "function late() { return two; }\nconst two = 2;\nexport const four = two + two;\n"


@pytest.mark.parametrize("line", ['import * as all from "./b.js";', 'import b from "elsewhere";'])
def test_an_import_of_another_kind_is_refused(tmp_path, line):
    (tmp_path / "a.js").write_text(f"{line}\n")
    with pytest.raises(ValueError, match=r"a\.js imports otherwise than by names from its own folder"):
        joined(tmp_path / "a.js")
