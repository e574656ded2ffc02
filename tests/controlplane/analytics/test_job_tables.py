"""The table of jobs in the control plane agrees with that of `python -m analytics`."""

import pytest

from analytics.jobs.job_table import JOBS as SPECS
from controlplane.analytics.jobs import JOBS


def test_the_tables_have_the_same_jobs():
    assert set(JOBS) == set(SPECS)


@pytest.mark.parametrize("name", JOBS)
def test_a_job_has_the_same_datasets_windows_and_columns(name):
    job, spec = JOBS[name], SPECS[name]
    assert list(job.datasets) == [source.dataset.name for source in spec.sources]
    assert job.is_windowed == spec.windowed
    assert job.is_sample == spec.once
    assert {*job.keys, *job.values} <= {*spec.columns}
    assert set(job.optional) <= set(job.datasets)
