from __future__ import annotations

import random

from models.backends.kv_slots import KEEP_TOKENS, Plan, SlotTable


def run(table: SlotTable, tokens: list[int], generated: int = 0) -> Plan:
    """What the engine does with a plan: evaluate the rest of the prompt, then generate."""
    plan = table.plan(tokens)
    table.append(plan.slot, tokens[plan.reuse :])
    for number in range(generated):
        table.make_room(1, plan.slot)
        table.append(plan.slot, [10_000 + number])
    return plan


def test_the_first_prompt_reuses_nothing() -> None:
    assert run(SlotTable(8, 4096), [1, 2, 3]).reuse == 0


def test_the_same_prompt_again_leaves_one_token_to_evaluate() -> None:
    table = SlotTable(8, 4096)
    run(table, [1, 2, 3])

    assert run(table, [1, 2, 3]).reuse == 2


def test_a_longer_prompt_continues_where_the_shorter_ended() -> None:
    table = SlotTable(8, 4096)
    first = run(table, list(range(100)))

    second = run(table, list(range(150)))

    assert (second.reuse, second.slot, second.source) == (100, first.slot, None)


def test_a_short_tail_is_overwritten_in_place() -> None:
    table = SlotTable(8, 4096)
    shared = list(range(500))
    first = run(table, [*shared, 1000, 1001])

    second = run(table, [*shared, 2000, 2001])

    assert (second.reuse, second.slot, second.source) == (500, first.slot, None)


def test_a_long_tail_is_kept_by_forking_the_sequence() -> None:
    table = SlotTable(8, 4096)
    shared = list(range(500))
    answer = [1000 + n for n in range(KEEP_TOKENS)]
    first = run(table, [*shared, *answer])

    second = run(table, [*shared, 2000])
    third = run(table, [*shared, *answer, 5])

    assert (second.reuse, second.source) == (500, first.slot)
    assert second.slot is not first.slot
    assert (third.reuse, third.slot) == (500 + KEEP_TOKENS, first.slot)


def test_shared_cells_count_once() -> None:
    table = SlotTable(8, 4096)
    shared = list(range(500))
    run(table, [*shared, *range(1000, 1100)])
    run(table, [*shared, *range(2000, 2100)])

    assert table.cells_used == 700


def test_the_least_recently_used_sequence_goes_first_when_room_is_needed() -> None:
    table = SlotTable(8, 1000)
    first = run(table, list(range(0, 400)))
    second = run(table, list(range(1000, 1400)))
    run(table, list(range(0, 400)))

    third = run(table, list(range(2000, 2500)))

    assert third.evicted == (second.slot,)
    assert first.slot.tokens


def test_room_is_made_while_an_answer_grows() -> None:
    table = SlotTable(8, 1000)
    run(table, list(range(400)))

    plan = run(table, list(range(1000, 1400)), generated=400)

    assert len(plan.slot.tokens) == 800
    assert table.cells_used <= 1000


def test_a_model_that_cannot_go_back_reuses_only_what_it_can_continue() -> None:
    table = SlotTable(8, 4096, partial=False)
    run(table, [1, 2, 3])

    assert run(table, [1, 2, 3, 4]).reuse == 3
    assert run(table, [1, 2, 3, 4]).reuse == 0
    assert run(table, [1, 2, 9]).reuse == 0


def test_no_order_of_prompts_fills_more_cells_than_there_are_or_mixes_up_sequences() -> None:
    random_numbers = random.Random(7)
    table = SlotTable(4, 300)
    beginnings = [[n * 1000 + i for i in range(100)] for n in range(5)]

    for _ in range(500):
        beginning = random_numbers.choice(beginnings)[: random_numbers.randint(1, 100)]
        tokens = [*beginning, *(random_numbers.randrange(50) for _ in range(random_numbers.randint(1, 100)))]
        plan = run(table, tokens, generated=random_numbers.randint(0, 80))

        assert plan.slot.tokens[: len(tokens)] == tokens
        assert plan.reuse < len(tokens)
        assert table.cells_used <= 300
        assert all(len(slot.tokens) == len(slot.cells) for slot in table.slots)


def test_what_is_known_of_a_prompt_can_be_asked_without_changing_anything() -> None:
    table = SlotTable(8, 4096)
    run(table, list(range(100)))

    assert table.known(list(range(150))) == 100
    assert table.known([7]) == 0
    assert table.cells_used == 100


def test_tokens_from_elsewhere_are_taken_in_beside_the_others() -> None:
    table = SlotTable(8, 4096)
    other = run(table, list(range(100))).slot

    slot, emptied = table.adopt(range(1000, 1300))

    assert emptied == ()
    assert slot is not other
    assert run(table, list(range(1000, 1310))).reuse == 300
    assert table.known(list(range(100))) == 100


def test_tokens_from_elsewhere_push_out_what_was_used_longest_ago() -> None:
    table = SlotTable(8, 400)
    oldest = run(table, list(range(150))).slot
    run(table, list(range(500, 650)))

    _slot, emptied = table.adopt(range(1000, 1200))

    assert emptied == (oldest,)
    assert table.cells_used == 350
