"""A logging filter that adds the REST call and the table change to each log record."""

import logging

from controlplane.common import request_id
from controlplane.requestlog import correlation
from tercast.runtime.log_format import fields_of


class ContextFilter(logging.Filter):
    """Add `request_id` ("-" outside of calls) to each record, and it and the change as fields."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Add the fields to a record; return True, since the filter keeps every record."""
        record.request_id = request_id.current()
        known = {"request_id": request_id.current(), "change": correlation.current()}
        present = {key: value for key, value in known.items() if value not in ("", "-")}
        record.fields = present | fields_of(record)
        return True
