# SPDX-License-Identifier: Apache-2.0
"""Files are written whole or not at all, and only our own are read."""

from contextlib import suppress
from pathlib import Path

import pytest

from finegrain_lab.run.errors import LabError
from finegrain_lab.run.files import writable, write_whole


def test_a_file_is_replaced_in_one_step(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    before = path.stat().st_ino
    write_whole(path, "new")
    assert path.read_text() == "new"
    assert path.stat().st_ino != before  # renamed over, not written into
    assert path.stat().st_mode & 0o777 == 0o644
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_an_unfinished_file_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def fail(*_arguments: object) -> None:
        raise error

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises((LabError, KeyboardInterrupt)) as caught:
        write_whole(path, "new")
    if isinstance(error, OSError):
        assert str(caught.value) == f"cannot write {path}: no space left on device"
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_folders_that_stay_empty_are_gone_afterwards(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with suppress(KeyboardInterrupt), writable(tmp_path / "there/a/b"):
        assert (tmp_path / "there/a/b").is_dir()
        raise KeyboardInterrupt
    assert list(tmp_path.rglob("*")) == [tmp_path / "there"]
    with writable(tmp_path / "there/a"):
        write_whole(tmp_path / "there/a/file", "text")
    assert (tmp_path / "there/a/file").exists()
    with writable(tmp_path / "there"):
        pass
    assert (tmp_path / "there").exists()


def test_a_folder_that_cannot_be_written_into_is_refused_first(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    there = Path("/proc")  # a folder that even root cannot write into
    for folder in (tmp_path / "file", tmp_path / "file/below", there, there / "finegrain"):
        with pytest.raises(LabError, match="cannot write into"), writable(folder):
            pytest.fail("the work was begun")
