"""The names of the library for hosts: all of them load, without NumPy and without PyArrow."""

import subprocess
import sys

import pytest

from tercast import client
from tests.support.docs.page_blocks import ROOT

LOAD_ALL = f"""
import sys
sys.path.insert(0, {str(ROOT / "platform")!r})
from tercast.client import *
assert Publisher.__name__ == "Publisher"
print(sorted({{"numpy", "pyarrow", "numba"}} & set(sys.modules)))
"""


def test_hosts_load_no_large_package():
    ran = subprocess.run(
        [sys.executable, "-c", LOAD_ALL], capture_output=True, text=True, check=True, timeout=60
    )
    assert ran.stdout == "[]\n"


def test_each_name_has_a_module():
    assert set(client.__all__) == set(client._MODULES)
    assert set(client.__all__) <= set(dir(client))
    for name in client.__all__:
        value = getattr(client, name)
        assert getattr(value, "__module__", "tercast.").startswith("tercast.")


def test_another_name_is_refused():
    with pytest.raises(AttributeError, match="'Publishers'"):
        client.Publishers  # noqa: B018
