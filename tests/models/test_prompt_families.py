from hypothesis import given
from hypothesis import strategies as st

from sotaque.models.prompt_families import STEP_WORTH, blocks, families

PROMPTS = st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=12), max_size=12)


@given(PROMPTS)
def test_every_prompt_is_in_one_family_and_keeps_a_token_of_its_own(prompts):
    found = families(prompts)
    assert sorted(member for _, members in found for member in members) == list(range(len(prompts)))
    for shared, members in found:
        assert len({tuple(prompts[member][:shared]) for member in members}) == 1
        assert all(len(prompts[member]) > shared for member in members)
        assert shared == 0 or len(members) > 1
        lengths = [len(prompts[member]) for member in members]
        assert lengths == sorted(lengths)


def prompt(head: str, length: int, tail: int) -> list[int]:
    return [*(ord(letter) for letter in head * length), 1000 + tail, 2000 + tail]


def test_tasks_with_a_common_chat_head_keep_their_own_examples():
    chat = [5] * 30
    prompts = [
        chat + prompt("a", 200, 1),
        chat + prompt("b", 150, 2),
        chat + prompt("a", 200, 3),
        chat + prompt("b", 150, 4),
        chat + prompt("a", 200, 5),
    ]
    assert families(prompts) == [(230, [0, 2, 4]), (180, [1, 3])]


def test_one_prompt_of_another_task_joins_none_that_shares_more():
    prompts = [[5] * 30 + prompt("a", 10, 1), [5] * 30 + prompt("b", 150, 2), [5] * 30 + prompt("b", 150, 3)]
    assert families(prompts) == [(0, [0]), (180, [1, 2])]


def test_a_few_tokens_more_that_two_happen_to_share_make_no_family():
    prompts = [[*[5] * 100, place, 9, 9] for place in range(4)] + [[*[5] * 100, 3, 9, 8]]
    assert families(prompts) == [(100, [0, 1, 2, 3, 4])]


def test_equal_prompts_leave_their_last_token():
    assert families([[1, 2, 3], [1, 2, 3]]) == [(2, [0, 1])]
    assert families([[1], [1]]) == [(0, [0, 1])]


@given(st.lists(st.integers(1, 400), max_size=30).map(sorted))
def test_padding_stays_below_the_worth_of_a_step(lengths):
    sizes = blocks(lengths)
    assert sum(sizes) == len(lengths)
    for size in sizes:
        block, lengths = lengths[:size], lengths[size:]
        assert size == 1 or size * max(block) - sum(block) <= STEP_WORTH + sum(block) // 8


def test_a_long_prompt_is_not_padded_onto_short_ones():
    assert blocks([10, 11, 12, 13, 300, 310]) == [4, 2]
