"""The studies that ship with Hopscope: a folder of data for each, read by `hopscope.studies`."""

from pathlib import Path

FOLDER = Path(__file__).resolve().parent

ORDER = (
    "fu2003",
    "afrakhteh2005",
    "anastasi2006",
    "zhang2006",
    "armaghani2008",
    "broch1998",
    "multihop-ht",
    "mesh-routing",
    "validation",
)
"""The studies of the catalogue in its order, one that routing is judged by, two of this project, and the validation."""
