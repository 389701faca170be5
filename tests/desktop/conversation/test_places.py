from __future__ import annotations

from pathlib import Path

from desktop.conversation.places import matching, places, short_names


def test_folders_come_first_and_each_place_says_where_it_lies() -> None:
    found = places([Path("/w/docs/b.md"), Path("/w/docs/deep/A.md"), Path("/h/b.md")], [Path("/w/docs"), Path("/h/b.md")])

    assert [place.words for place in found] == [
        "deep/  ·  /w/docs",
        "docs/  ·  /w",
        "A.md  ·  /w/docs/deep",
        "b.md  ·  /h",
        "b.md  ·  /w/docs",
    ]


def test_names_that_begin_with_what_is_typed_come_first_and_what_lies_in_such_a_folder_last() -> None:
    found = places([Path(f"/w/{name}") for name in ("chapter.md", "Harbour.html", "other.md", "shared/old.md")], [Path("/w")])

    assert [place.path.name for place in matching(found, "ha")] == ["Harbour.html", "shared", "chapter.md", "old.md"]
    assert matching(found, "") == found
    assert not matching(found, "nowhere")


def test_a_name_is_as_long_as_it_takes_to_tell_it_from_the_others() -> None:
    alone, work, home = Path("/x/年假 制度.md"), Path("/work/notes/a.md"), Path("/home/notes/a.md")

    assert list(short_names([alone, work, home]).values()) == ["年假 制度.md", "work/notes/a.md", "home/notes/a.md"]
    assert list(short_names([work]).values()) == ["a.md"]
    assert short_names([]) == {}


def test_two_paths_of_which_one_ends_like_the_other_have_two_names() -> None:
    assert list(short_names([Path("/a.md"), Path("/b/a.md")]).values()) == ["/a.md", "b/a.md"]
