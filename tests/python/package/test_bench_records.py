"""Records of benchmarks: what makes one, and how it is read beside what is aimed at."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.bench import BENCH, bench_module


def record_of(*rows: dict, **more: Any) -> dict:
    """A record of the CPU."""
    complete = {"spread": {}, "ratios": {}, "fails": {}}
    return {"platform": "cpu", "devices": 1, "rows": [complete | row for row in rows], **more}


def judged(monkeypatch: pytest.MonkeyPatch, document: dict, **aims_of_rows: list) -> dict:
    """Outcomes by row, with such aims."""
    aims, judgement = bench_module("aims"), bench_module("judgement")
    monkeypatch.setitem(aims.AIMS, document["platform"], aims_of_rows)
    return judgement.judge(document)


def test_what_falls_short_says_by_how_much_and_why(monkeypatch: pytest.MonkeyPatch) -> None:
    aim = bench_module("aim")
    rows = (
        {"name": "a", "figures": {"cupola": 3.0}},
        {"name": "b", "figures": {"cupola": 2.0}, "of_copy": 0.5},
    )
    found = judged(
        monkeypatch,
        record_of(*rows),
        a=[aim.within(2, "no time"), aim.within(4)],
        b=[aim.of_copy(0.25), aim.Aim(2, "a"), aim.Aim(2, "absent"), aim.Aim(1, devices=2)],
    )
    short, reached = found["a"]
    assert short == {"of": "", "at_most": 2, "reached": 3.0, "short_by": 0.5, "why": "no time"}
    assert reached == {"of": "", "at_most": 4, "reached": 3.0}
    of_copy, of_row = found["b"]
    assert of_copy == {"of": "copy", "at_least": 0.25, "reached": 0.5}
    assert of_row["reached"] == 2 / 3
    assert of_row["short_by"] == 2.0


@pytest.mark.parametrize(("platform", "best"), [("cpu", 0.5), ("cuda", 0.75)])
def test_every_row_is_held_against_the_best_peer(
    monkeypatch: pytest.MonkeyPatch, platform: str, best: float
) -> None:
    """Compiled ones as well; on GPUs NumPy is none."""
    ratios = {"numpy": 0.5, "cupy": 2.0, "torch compiled": 0.75, "one device": 0.1}
    row = {"name": "a", "figures": {"cupola": 3.0}, "ratios": ratios}
    (outcome,) = judged(monkeypatch, record_of(row) | {"platform": platform})["a"]
    assert outcome["reached"] == best
    assert outcome["short_by"] == 1 / best - 1
    assert outcome["why"] == ""


@pytest.mark.parametrize(("spread", "excused"), [(0.005, False), (0.015, True), (5.0, True)])
def test_samples_that_differ_more_than_a_row_is_short(
    monkeypatch: pytest.MonkeyPatch, spread: float, excused: bool
) -> None:
    ratios, spreads = {"numpy": 0.99, "jax": 1.0}, {"cupola": spread}
    row = {"name": "a", "figures": {"cupola": 1.0}, "ratios": ratios, "spread": spreads}
    (outcome,) = judged(monkeypatch, record_of(row))["a"]
    assert bool(outcome["why"]) == excused
    row["ratios"] = {"numpy": 0.9}
    (outcome,) = judged(monkeypatch, record_of(row))["a"]
    assert not outcome["why"]


def test_rows_that_fall_short_have_names(monkeypatch: pytest.MonkeyPatch) -> None:
    aim, aims, judgement = (bench_module(name) for name in ("aim", "aims", "judgement"))
    figures = [{"name": name, "figures": {"cupola": 3.0}} for name in "abc"]
    wanted = {"a": [aim.Aim(2), aim.Aim(4)], "b": [aim.Aim(1)]}
    monkeypatch.setitem(aims.AIMS, "cpu", wanted)
    assert judgement.short_rows(record_of(*figures)) == {"a"}


def test_absent_rows_are_a_failure_of_the_record() -> None:
    judgement = bench_module("judgement")
    rows = (
        {"name": "a", "figures": {"cupola": 1.0}},
        {"name": "b", "figures": {"numpy": 1.0}, "fails": {"cupola": "ValueError"}},
    )
    document = record_of(*rows, asked=["a", "b", "c"])
    assert judgement.unexplained(document) == ["absent: b", "absent: c"]
    assert "absent: c" in judgement.shortfalls(document)


@pytest.mark.parametrize("name", ["cpu", "gpu_check"])
def test_records_reach_what_is_aimed_at_or_say_why_not(name: str) -> None:
    judgement = bench_module("judgement")
    content = json.loads((BENCH / f"results/{name}.json").read_text())
    documents = judgement.documents_in(content)
    assert documents
    for _, document, devices in documents:
        assert any(judgement.judge(document, devices).values())
        if document.get("complete"):
            assert judgement.unexplained(document, devices) == []


def test_a_file_is_read_with_all_its_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    judgement = bench_module("judgement")
    slow = {"name": "a", "figures": {"cupola": 1.0}, "ratios": {"jax": 0.5}}
    document = record_of(slow, asked=["a"], complete=True)
    content = {"benchmarks": document, "sets": {"2": {"benchmarks": document | {"asked": ["b"]}}}}
    path = tmp_path / "results.json"
    monkeypatch.setattr("sys.argv", ["judgement.py", str(path)])
    for written, status, lines in (
        (document, 1, ["results.json", "short: a: 0.5 of 1 of best peer: "]),
        (document | {"complete": False}, 0, ["results.json (not complete)"]),
        (content, 1, ["results.json, 2 GPUs", "absent: b"]),
    ):
        path.write_text(json.dumps(written))
        assert judgement.main() == status
        assert set(lines) <= set(capsys.readouterr().out.splitlines())


def test_a_record_is_complete_when_every_row_was_asked_for() -> None:
    record = bench_module("record")
    document = {
        "quick": False,
        "asked": ["b", "a"],
        "calls": [{"date": "1", "source_hash": "x", "seconds": 1.0, "rows": ["a", "b"]}],
        "rows": [{"name": n, "area": "small", "figures": {"cupola": 1.0}} for n in "ba"],
    }
    order = ["a", "b"]
    whole = record.finished(document, order, order)
    assert whole["complete"]
    assert [row["name"] for row in whole["rows"]] == order
    assert record.finished(document, order, ["b"])["complete"]
    assert not record.finished(document, order, ["a", "b", "c"])["complete"]
    assert not record.finished(document | {"quick": True}, order, order)["complete"]
    two = [*document["calls"], document["calls"][0] | {"source_hash": "y", "rows": ["a"]}]
    assert not record.finished(document | {"calls": two}, order, order)["complete"]


def test_a_complete_record_of_several_devices_is_of_arrays_over_them() -> None:
    rows = bench_module("rows")
    one, two = (set(rows.whole_record("cuda", devices)) for devices in (1, 2))
    assert "a + b" in one
    assert "sort, all devices" in two
    assert not one & two


def test_a_row_stays_until_it_is_measured_again() -> None:
    record = bench_module("record")
    common = {"platform": "cpu", "gpu": None, "elements": 1, "devices": 1, "quick": False}

    def call(seed: int, asked: list[str], measured: list[str]) -> dict:
        rows = [{"name": name, "seed": seed} for name in measured]
        calls = [{"seed": seed, "rows": measured}]
        return common | {"versions": {}, "asked": asked, "calls": calls, "rows": rows}

    whole = record.merged(call(1, ["a", "b"], ["a", "b"]), call(2, ["b", "a", "c"], ["b"]))
    assert {row["name"]: row["seed"] for row in whole["rows"]} == {"a": 1, "b": 2}
    assert whole["asked"] == ["a", "b", "c"]
    assert whole["calls"] == [{"seed": 1, "rows": ["a"]}, {"seed": 2, "rows": ["b"]}]
    with pytest.raises(record.MergeError, match="elements is 1, here it is 2"):
        record.merged(whole, call(3, ["a"], ["a"]) | {"elements": 2})


@pytest.mark.parametrize(
    ("gigabytes", "side"), [(150, 65536), (85, 49152), (40, 32768), (1, 16384)]
)
def test_arrays_over_several_devices_fit_into_one(gigabytes: int, side: int) -> None:
    rows = bench_module("rows")
    assert rows.size_on_sets("cuda", gigabytes * 10**9)[0] == side
    assert rows.size_on_sets("cpu", gigabytes * 10**9) == rows.SIZES_ON_SETS["cpu"]
