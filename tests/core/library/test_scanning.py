from __future__ import annotations

import os
from pathlib import Path, PurePath

import pytest

from core.cancel import CancelToken
from core.errors import Cancelled
from core.library.scanning import is_left_out, scan, scan_changed


def listed(*roots: Path, excluded: tuple[Path, ...] = ()) -> dict[str, str]:
    found = scan(roots, excluded=excluded, cancel=CancelToken())
    return {str(file.path.relative_to(roots[0])) if file.path != roots[0] else ".": file.reason for file in found.files}


def write(path: Path, text: str = "text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_files_are_listed_in_a_fixed_order_with_their_stamps(tmp_path: Path) -> None:
    for name in ("b.txt", "a/z.txt", "a/a.txt", "ä.txt", "文档.md"):
        write(tmp_path / name)

    found = scan([tmp_path], cancel=CancelToken()).files

    assert [file.path for file in found] == sorted((file.path for file in found), key=os.fsencode)
    assert len(found) == 5
    assert all(file.size_bytes == 4 and file.modified_ns > 0 for file in found)


def test_hidden_files_and_folders_of_tools_are_left_out(tmp_path: Path) -> None:
    for name in (".git/config", ".hidden", "node_modules/x.js", "env/pyvenv.cfg", "env/lib.py", "__pycache__/x.pyc", "kept/x.txt"):
        write(tmp_path / name)

    assert listed(tmp_path) == {"kept/x.txt": ""}


def test_a_hidden_file_that_was_named_is_listed(tmp_path: Path) -> None:
    assert listed(write(tmp_path / ".notes.txt")) == {".": ""}


def test_loops_of_links_end_and_links_lead_nowhere(tmp_path: Path) -> None:
    write(tmp_path / "docs" / "a.txt")
    write(tmp_path / "outside.txt")
    (tmp_path / "docs" / "loop").symlink_to(tmp_path / "docs", target_is_directory=True)
    (tmp_path / "docs" / "out.txt").symlink_to(tmp_path / "outside.txt")
    (tmp_path / "docs" / "broken.txt").symlink_to(tmp_path / "nothing")

    assert listed(tmp_path / "docs") == {"a.txt": "", "broken.txt": "vanished", "loop": "not_a_file", "out.txt": "not_a_file"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX pipes")
def test_a_pipe_is_listed_with_its_reason(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")

    assert listed(tmp_path) == {"pipe.txt": "not_a_file"}
    assert listed(tmp_path / "pipe.txt") == {".": "not_a_file"}


def test_a_folder_named_twice_is_listed_once(tmp_path: Path) -> None:
    write(tmp_path / "sub" / "a.txt")

    found = scan([tmp_path, tmp_path / "sub", tmp_path / "sub" / "a.txt"], cancel=CancelToken())

    assert [file.path.name for file in found.files] == ["a.txt"]


def test_what_is_gone_is_not_listed(tmp_path: Path) -> None:
    assert scan([tmp_path / "gone"], cancel=CancelToken()).files == ()


def test_what_was_taken_out_stays_out(tmp_path: Path) -> None:
    write(tmp_path / "a.txt")
    write(tmp_path / "sub" / "b.txt")

    assert listed(tmp_path, excluded=(tmp_path / "a.txt", tmp_path / "sub")) == {}


def test_names_with_patterns_and_strange_bytes_are_only_names(tmp_path: Path) -> None:
    for name in (b"[a].txt", b"*.txt", b"\xff\xfe.txt", b" .txt", b"new\nline.txt", b"-rf.txt"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text("x", encoding="utf-8")

    assert len(listed(tmp_path)) == 6


def test_a_deep_tree_needs_no_deep_stack(tmp_path: Path) -> None:
    folder = tmp_path
    for _ in range(400):
        folder = folder / "d"
    folder.mkdir(parents=True)
    write(folder / "a.txt")

    assert list(listed(tmp_path).values()) == [""]


def test_a_scan_can_be_stopped(tmp_path: Path, cancel: CancelToken) -> None:
    cancel.cancel()

    with pytest.raises(Cancelled):
        scan([tmp_path], cancel=cancel)


def test_a_folder_that_cannot_be_listed_is_told_and_remembered_as_unseen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "closed" / "a.txt")
    write(tmp_path / "b.txt")
    real = os.scandir
    monkeypatch.setattr(
        os, "scandir", lambda folder: real(folder) if Path(folder).name != "closed" else (_ for _ in ()).throw(PermissionError(13, "no"))
    )

    found = scan([tmp_path], cancel=CancelToken())

    assert [(file.path.name, file.reason) for file in found.files] == [("b.txt", ""), ("closed", "unreadable")]
    assert found.unseen == (tmp_path / "closed",)


def changed(root: Path, *names: str, excluded: tuple[str, ...] = (), sources: tuple[Path, ...] = ()) -> set[str]:
    found = scan_changed(
        sources or (root,), [root / name for name in names], excluded=[root / name for name in excluded], cancel=CancelToken()
    )
    return {str(file.path.relative_to(root)) for file in found.files}


def test_of_what_changed_only_what_is_there_is_listed(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt", "sub/c.txt", "sub/deep/d.txt"):
        write(tmp_path / name)

    assert changed(tmp_path, "a.txt", "gone.txt", "gone/too.txt", "a.txt/no folder.txt") == {"a.txt"}
    assert changed(tmp_path, "sub", "sub/c.txt") == {"sub/c.txt", "sub/deep/d.txt"}
    assert changed(tmp_path, ".") == {"a.txt", "b.txt", "sub/c.txt", "sub/deep/d.txt"}


def test_what_changed_is_listed_exactly_if_a_whole_scan_would_list_it(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "kept", target_is_directory=True)
    names = (
        *(".git/config", ".hidden", "node_modules/x.js", "env/pyvenv.cfg", "env/deep/lib.py", "a/.b/c/d.txt", "link/x.txt", "Thumbs.db"),
        *("kept/x.txt", "kept/venv", "kept/out.txt", "kept/out/y.txt.md", "left/out.txt"),
    )
    for name in names:
        if not name.startswith("link/") and name != "kept/out.txt":
            write(tmp_path / name)
    (tmp_path / "kept" / "out.txt").symlink_to(tmp_path / "kept" / "x.txt")

    whole = {name for name, _ in listed(tmp_path, excluded=(tmp_path / "left",)).items()}

    assert changed(tmp_path, *names, "link", excluded=("left",)) == whole
    assert changed(tmp_path, *names, "link", "env", "node_modules", "left", ".git", "a", "kept", excluded=("left",)) == whole
    assert {"kept/x.txt", "kept/venv", "link"} <= whole


def test_what_changed_outside_the_sources_is_not_listed(tmp_path: Path) -> None:
    for name in ("docs/a.txt", "docs/.notes/b.txt", "other/c.txt"):
        write(tmp_path / name)
    names = ("docs/a.txt", "docs/.notes/b.txt", "other/c.txt")

    assert changed(tmp_path, *names, sources=(tmp_path / "docs",)) == {"docs/a.txt"}
    assert changed(tmp_path, *names, sources=(tmp_path / "docs", tmp_path / "docs" / ".notes")) == {"docs/a.txt", "docs/.notes/b.txt"}
    assert changed(tmp_path, *names, sources=(tmp_path / "other" / "c.txt",)) == {"other/c.txt"}


def test_a_name_alone_says_that_a_path_is_left_out() -> None:
    for name in (".a", "a/.b/c.txt", "node_modules/x/y.js", "a/__pycache__/x.pyc", "a/Thumbs.db"):
        assert is_left_out(PurePath(name)), name
    for name in ("a.txt", "a/b.c/d", "venv"):
        assert not is_left_out(PurePath(name)), name


@pytest.mark.parametrize("name", ["~$report.docx", "notes.md~", "#notes.md#", "Thumbs.db"])
def test_what_programs_leave_beside_the_files_they_have_open_is_left_out(tmp_path: Path, name: str) -> None:
    write(tmp_path / "docs" / name)
    write(tmp_path / "docs" / "notes.md")

    assert listed(tmp_path / "docs") == {"notes.md": ""}
    assert scan_changed([tmp_path / "docs"], [tmp_path / "docs" / name], cancel=CancelToken()).files == ()
    assert is_left_out(PurePath(name))
    assert listed(tmp_path / "docs" / name) == {".": ""}, "named by itself it is wanted"


@pytest.mark.parametrize("order", [("docs", "alias"), ("alias", "docs"), ("docs/sub", "alias", "docs"), ("alias", "docs/sub")])
@pytest.mark.parametrize("changed", ["docs", "alias", "docs/sub/b.txt", "alias/sub/b.txt", "alias/sub", "docs/a.txt", "alias/a.txt"])
def test_a_folder_that_is_linked_again_through_a_link_has_one_name_in_every_look(
    tmp_path: Path, order: tuple[str, ...], changed: str
) -> None:
    write(tmp_path / "docs" / "a.txt")
    write(tmp_path / "docs" / "sub" / "b.txt")
    (tmp_path / "alias").symlink_to(tmp_path / "docs")
    sources = [tmp_path / name for name in order]

    all_files = {file.path for file in scan(sources, cancel=CancelToken()).files}
    seen = {file.path for file in scan_changed(sources, [tmp_path / changed], cancel=CancelToken()).files}

    assert seen == {path for path in all_files if path.is_relative_to(tmp_path / changed)}
    assert len(all_files) == 2


def test_a_file_that_only_another_folder_leaves_out_keeps_the_name_it_has(tmp_path: Path) -> None:
    write(tmp_path / "home" / ".notes" / "a.txt")
    (tmp_path / "alias").symlink_to(tmp_path / "home" / ".notes")

    found = scan_changed([tmp_path / "home", tmp_path / "alias"], [tmp_path / "alias" / "a.txt"], cancel=CancelToken())

    assert [file.path for file in found.files] == [tmp_path / "alias" / "a.txt"]
