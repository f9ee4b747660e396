"""The face of a release: metadata, README, changelog, the recipe for conda-forge."""

import hashlib
import re
import subprocess
import sys

import pytest
import yaml

LINK = re.compile(r"(?<!\\)\]\(([^)\s]+)|(?:src|href)=\"([^\"]+)\"")


def links(text):
    return [first or second for first, second in LINK.findall(text)]


@pytest.fixture
def recipe(repository):
    return yaml.safe_load((repository / ".ci/conda/recipe.yaml").read_text(encoding="utf-8"))


def test_addresses_lie_below_one(project, repository):
    urls = project["urls"]
    assert set(urls) == {"Homepage", "Documentation", "Source", "Issues", "Changelog"}
    home = urls["Homepage"]
    assert all(address == home or address.startswith(f"{home}/") for address in urls.values())
    for address in urls.values():
        if found := re.fullmatch(rf"{re.escape(home)}/blob/main/(.+)", address):
            assert (repository / found[1]).is_file(), address
    citation = yaml.safe_load((repository / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["repository-code"] == urls["Source"]
    assert citation["version"] == project["version"]
    security = (repository / "SECURITY.md").read_text(encoding="utf-8")
    assert all(link.startswith(f"{home}/") for link in links(security))


def test_links_of_the_readme_lead_somewhere_from_anywhere(project, repository):
    found = links((repository / project["readme"]).read_text(encoding="utf-8"))
    page = f"{project['urls']['Source']}/blob/main/"
    ours = [link.removeprefix(page).partition("#")[0] for link in found if link.startswith(page)]
    assert ours
    assert [link for link in found if not link.startswith(("https://", "#"))] == []
    assert [path for path in ours if not (repository / path).is_file()] == []


def test_classifiers_name_the_systems_of_the_wheels(project):
    systems = {name.split(" :: ")[-1] for name in project["classifiers"] if name.startswith("Operating System")}
    assert systems == {"Linux", "MacOS"}
    assert len(set(project["classifiers"])) == len(project["classifiers"])


def test_a_release_has_its_place_in_the_changelog(repository, settings):
    settings = settings["tool"]["towncrier"]
    text = (repository / settings["filename"]).read_text(encoding="utf-8")
    # Without the line, towncrier would write a release above the title.
    assert text.count(settings["start_string"]) == 1
    assert text.index("# ") < text.index(settings["start_string"])


def test_recipe_asks_for_what_pip_asks_for(recipe, project, settings):
    build = settings["build-system"]["requires"]
    # conda writes "numpy >=2.0" for pip's "numpy>=2.0"; all of these have one name in both worlds. The one marker
    # is about browsers, for which conda-forge builds nothing.
    asked = [need.removesuffix("; sys_platform != 'emscripten'") for need in project["dependencies"]]
    assert not [need for need in asked if ";" in need]
    assert recipe["requirements"]["run"] == [
        "python",
        *(need.replace(">=", " >=") for need in asked),
    ]
    assert recipe["requirements"]["host"] == ["python", "pip", *(need.replace(">=", " >=") for need in build)]
    assert f'match(python, "<{project["requires-python"].removeprefix(">=")}")' in recipe["build"]["skip"]


def test_recipe_says_what_the_metadata_say(recipe, project, packages):
    assert recipe["schema_version"] == 1
    assert recipe["context"]["version"] == project["version"]
    about = recipe["about"]
    assert about["license"] == project["license"]
    assert about["license_file"] == project["license-files"]
    assert about["summary"] == project["description"]
    assert about["homepage"] == project["urls"]["Homepage"]
    assert about["repository"] == project["urls"]["Source"]
    assert about["documentation"] == project["urls"]["Documentation"]
    tests = {key: value for test in recipe["tests"] for key, value in test.items()}
    assert set(tests["python"]["imports"]) <= set(packages)
    assert tests["script"] == ["gapless selftest"]


def recipe_for(repository, archive):
    archive.write_bytes(b"an archive")
    command = [sys.executable, str(repository / ".ci/conda/for_release.py"), str(archive)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_recipe_of_a_release_names_its_archive(repository, project, tmp_path):
    answer = recipe_for(repository, tmp_path / f"gapless-{project['version']}.tar.gz")
    assert answer.returncode == 0, answer.stderr
    source = yaml.safe_load(answer.stdout)["source"]
    assert source["sha256"] == hashlib.sha256(b"an archive").hexdigest()
    assert source["url"].endswith("/gapless-${{ version }}.tar.gz")


def test_the_recipe_of_another_version_is_refused(repository, tmp_path):
    answer = recipe_for(repository, tmp_path / "gapless-99.0.tar.gz")
    assert answer.returncode != 0
    assert "gapless-99.0.tar.gz" in answer.stderr
    assert answer.stdout == ""
