"""The public and persisted names, and the documents of one scenario, are those that users know."""

import json
from pathlib import Path

import pytest
from django.core.management import call_command

from tercast.requests.reader import _READERS

from .golden_documents import DOCUMENTS, GOLDEN, log_requests
from .public_surface import FROM_DATABASE, SECTIONS, emitted_event_kinds, surface

FROZEN = Path(__file__).parent / "public_surface.json"
HINT = (
    "this changes what users depend on; if it is meant, run "
    "`make test ARGS='tests/controlplane/contracts --freeze'` and describe the change in CHANGELOG.md"
)


@pytest.mark.parametrize(
    "section",
    [*sorted(SECTIONS), *(pytest.param(name, marks=pytest.mark.django_db) for name in FROM_DATABASE)],
)
def test_names_are_those_that_users_know(section, freeze):
    frozen = json.loads(FROZEN.read_text()) if FROZEN.exists() else {}
    found = surface(section)
    assert found
    if freeze:
        known = SECTIONS | FROM_DATABASE
        kept = {name: lines for name, lines in frozen.items() if name in known}
        FROZEN.write_text(json.dumps(dict(sorted((kept | {section: found}).items())), indent=1) + "\n")
        return
    gone = [line for line in frozen[section] if line not in set(found)]
    new = [line for line in found if line not in set(frozen[section])]
    assert not gone, f"gone from {section}: {gone}; {HINT}"
    assert not new, f"new in {section}: {new}; {HINT}"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_are_equal_byte_by_byte(name, freeze, tmp_path):
    written = tmp_path / name
    DOCUMENTS[name](written)
    if freeze:
        (GOLDEN / name).write_bytes(written.read_bytes())
        return
    assert written.read_text() == (GOLDEN / name).read_text(), HINT


def test_the_log_has_every_kind_of_request():
    assert {request["op"] for request in log_requests()} == set(_READERS)


def test_the_page_of_the_live_stream_has_the_kinds_of_events_that_are_sent():
    assert set(emitted_event_kinds()) == set(surface("live event kinds"))


@pytest.mark.django_db
def test_the_migrations_contain_all_changes_of_the_models():
    call_command("makemigrations", "--check", "--dry-run")  # exits if a migration is missing
