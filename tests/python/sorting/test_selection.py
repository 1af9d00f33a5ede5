"""Which cases of tests run where few are asked for."""

from support.selection import spread


def test_each_function_keeps_its_first_and_its_last_case():
    items = [f"{function}{case}" for function in "ab" for case in range(9)] + ["c0"]
    assert spread(items, lambda item: item[0], 3) == ["a0", "a4", "a8", "b0", "b4", "b8", "c0"]


def test_one_case_is_the_first():
    assert spread(["a0", "b0", "a1", "b1"], lambda item: item[0], 1) == ["a0", "b0"]


def test_fewer_cases_than_asked_for_stay_all():
    assert spread(["a0", "b0", "a1"], lambda item: item[0], 5) == ["a0", "b0", "a1"]
