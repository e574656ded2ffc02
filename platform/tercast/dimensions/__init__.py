"""Which attributes to index: by the variance they explain (PLEROMA, section 5), or by what is measured."""
