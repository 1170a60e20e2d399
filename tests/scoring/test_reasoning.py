import pytest

from sotaque.scoring.reasoning import after_reasoning, first_turn


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


@pytest.mark.parametrize(
    ("text", "turn"),
    [
        ("B", "B"),
        ("B < C [1]", "B < C [1]"),
        ("B<|im_end|>\n<|im_start|>user\nE agora?", "B"),
        ("B<|eot_id|>", "B"),
        ("B<end_of_turn>\nResposta: C", "B"),
        ("B</s>", "B"),
        ("<|assistant|>\nB", "\nB"),
        ("<s> [/INST] B</s>", " B"),
        ("<|im_end|>", ""),
    ],
)
def test_a_reply_ends_where_its_turn_ends(text: str, turn: str) -> None:
    assert first_turn(text) == turn
