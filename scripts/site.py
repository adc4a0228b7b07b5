# SPDX-License-Identifier: Apache-2.0
"""What mkdocs does beside building docs/.

The drop-in's page is its README, and the folder of the headers is Doxygen's reference of them. The
links lead to files of the tree, for readers of the pages there; those to files that are not in the
site become their names.
"""

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"\[([^\]]+)\]\(((?:\.\./)+[^)#]*)(#[^)]*)?\)")
REFERENCE = ROOT / "build/reference"
PAGES = {ROOT / "src/omp/README.md": "openmp.md"}
NAMES = {**PAGES, ROOT / "include/finegrain": "reference/index.html"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The pages outside of docs/."""
    for source, name in PAGES.items():
        files.append(File.generated(config, name, content=source.read_text()))
    for part in sorted(REFERENCE.rglob("*.*")):
        name = f"reference/{part.relative_to(REFERENCE)}"
        files.append(File.generated(config, name, abs_src_path=str(part)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, **_: object) -> str:
    """Returns a page with its links rewritten for the site."""
    sources = {name: source for source, name in PAGES.items()}
    folder = sources.get(page.file.src_uri, Path(config.docs_dir) / page.file.src_uri).parent

    def in_the_site(link: re.Match[str]) -> str:
        text, path, anchor = link[1], (folder / link[2]).resolve(), link[3] or ""
        if path in NAMES:
            return f"[{text}]({NAMES[path]}{anchor})"
        if path.parent == Path(config.docs_dir):
            return f"[{text}]({path.name}{anchor})"
        return text

    return LINK.sub(in_the_site, markdown)
