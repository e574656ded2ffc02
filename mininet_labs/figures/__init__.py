"""Experiments of the papers: what each figure measures, with a verdict for each claim."""
