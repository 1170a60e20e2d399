import pytest

from sotaque.scoring.reasoning import after_reasoning


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("B", "B"),
        ("a < b [1]", "a < b [1]"),
        ("<think>x</think>B", "B"),
        ("<think>x</think> hm </think> C", " C"),
        ("x</think>B", "B"),
        ("<Thinking>x</Thinking>B", "B"),
        ("<raciocínio>x</raciocínio>B", "B"),
        ("<think>1</think>A<think>2</think>B", "B"),
        ("[THINK]x[/THINK]B", "B"),
        ("<|begin_of_thought|>x<|end_of_thought|>B", "B"),
        ("<|START_THINKING|>x<|END_THINKING|>B", "B"),
        ("<|channel|>analysis<|message|>x<|channel|>final<|message|>B", "B"),
        ("<think>x</think>", ""),
    ],
)
def test_the_answer_follows_the_last_closed_block(text: str, answer: str) -> None:
    assert after_reasoning(text) == answer


@pytest.mark.parametrize(
    "text", ["<think>", "B<think>x", "<think>x</think>B<think>", "[THINK]x", "<|channel|>analysis<|message|>x"]
)
def test_an_unclosed_block_leaves_no_answer(text: str) -> None:
    assert after_reasoning(text) is None
