"""Settings of the documentation. `make docs` generates the reference pages first (tools/generate.py)."""

import os
import sys
from pathlib import Path

from docutils import nodes

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "python"))

project = "Hopscope"
author = "The Hopscope developers"
copyright = "2026, The Hopscope developers"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build", "**/generated/*", "reference/generated/*", "validation/generated/*"]

html_theme = "furo"
html_title = "Hopscope"
html_static_path = ["_static"]
html_css_files = ["pages.css"]

# The playground, where `make web` has built it: one file, which the front page begins with.
PLAYGROUND = HERE.parent / "python" / "hopscope" / "web" / "playground.html"
html_extra_path = [str(PLAYGROUND)] if PLAYGROUND.is_file() else []

myst_enable_extensions = ["deflist", "colon_fence"]
myst_heading_anchors = 3

# The notebook page runs real simulations while the documentation is built; an error in it fails the build.
nb_execution_mode = "cache"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True
os.environ.setdefault("NO_COLOR", "1")

autodoc_typehints = "description"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}


def fold(_app, doctree):
    """Fold the sections of a page with `fold: true` in its front matter, so that it opens with its answer."""
    if "fold" not in doctree.settings.env.metadata[doctree.settings.env.docname]:
        return
    for section in list(doctree.findall(nodes.section)):
        if not isinstance(section.parent.parent, nodes.document):
            continue
        title, *rest = section.children
        opened = nodes.raw("", "<details><summary>Show</summary>", format="html")
        section.children = [title]
        section += [opened, *rest, nodes.raw("", "</details>", format="html")]


def setup(app):
    """Called by Sphinx."""
    app.connect("doctree-read", fold)
    if html_extra_path:
        app.tags.add("playground")
