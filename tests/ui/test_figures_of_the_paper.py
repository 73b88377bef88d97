"""Figures 4 to 7 as elements and as files: every number that is drawn is in the CSV, nothing is fetched."""

import csv
import io
import re

import numpy as np
import pytest

from viterbi_lab.cli import main
from viterbi_lab.experiments.concentration import heat
from viterbi_lab.experiments.example import TRANSITIONS, example
from viterbi_lab.experiments.gathered import shipped
from viterbi_lab.experiments.scaling import LENGTHS, Timing
from viterbi_lab.ui import figure_files, finished
from viterbi_lab.ui.finished import against_n


@pytest.fixture(scope="module")
def figures():
    timings = [Timing(program, T, 1e-6 * T) for program, several in LENGTHS.items() for T in several]
    return {
        "4": finished.figure4(timings),
        "5": finished.figure5(heat(60, sets=2)),
        "6": finished.figure6(example()),
        "7": finished.figure7(shipped()),
    }


def rows(figure):
    return list(csv.DictReader(io.StringIO(figure.csv)))


def test_fig_4_has_a_curve_for_each_program_and_its_growth_in_words(figures):
    (chart,) = figures["4"].parts(finished.BOKEH)
    words = [text for labels in chart.Labels for text in labels.dimension_values("text")]
    assert [word.strip() for word in words if "T^" in word] == [
        f"{program}: T^1.00" for program in ("Algorithm 1", "bounds first", "Algorithm 2")
    ]
    assert {"paper: 160 s", "paper: 60 s", "paper: 0.2 s"} <= set(words)
    assert len(rows(figures["4"])) == sum(map(len, LENGTHS.values()))


def test_fig_4_can_be_drawn_before_anything_is_measured():
    (chart,) = finished.figure4([]).parts(finished.BOKEH)
    assert not chart.Curve


def test_fig_5_has_a_line_for_each_cell_of_the_triangle(figures):
    cells = rows(figures["5"])
    assert len(cells) == 60 * 63 // 2  # k = 0..t for t = 1..60
    assert max(cells, key=lambda cell: float(cell["slack"]))["t"] == "60"


def test_fig_6_shows_labels_signals_and_every_transition(figures):
    sequence, diagram = figures["6"].parts(finished.BOKEH)
    signal = example()
    assert len(sequence.Curve) == 5
    arrows, _heads, circles = diagram.Path.I, diagram.Polygons.I, diagram.Polygons.II
    assert len(arrows.split()) == len(TRANSITIONS)
    assert len(circles.split()) == 4
    labels = [row["label"] for row in rows(figures["6"])]
    assert labels == ["+" if label else "-" for label in signal.y]
    assert np.count_nonzero(np.diff(signal.y)) == 6  # three genes, well inside


def test_fig_7_has_a_curve_for_each_noise_and_rescaling(figures):
    sizes = {row.n for row in shipped().rows}
    for part in figures["7"].parts(finished.BOKEH):
        slack, margin, bars = part.Segments
        assert len(slack) == len(margin) == 6 * (len(sizes) - 1)
        assert len(bars) == 6 * 2 * len(sizes)
        words = [text.strip() for labels in part.Labels for text in labels.dimension_values("text")]
        assert sorted(words) == sorted(
            f"{shape} σ={sigma:g}" for shape, sigma in zip("●■▲◆▼⬢", (1, 2, 5, 7, 10, 12), strict=True)
        )
    assert len(rows(figures["7"])) == len(shipped().rows)


def test_labels_that_would_meet_are_moved_apart():
    words = [(1.0, 0.5, "b", ""), (1.0, 0.5, "c", ""), (1.0, 0.1, "a", "")]
    assert against_n._apart(words, 0.2) == [(1.0, 0.1, "a", ""), (1.0, 0.5, "b", ""), (1.0, 0.7, "c", "")]


def test_another_backend_is_refused(figures):
    with pytest.raises(ValueError, match="backend='plotly'"):
        figures["4"].parts("plotly")


@pytest.mark.parametrize("number", ["5", "6"])
def test_every_kind_of_file_can_be_written(figures, tmp_path, number):
    name = f"figure{number}"
    places = figure_files.write(figures[number], tmp_path / "new", figure_files.KINDS)
    assert [place.name for place in places] == [
        *(f"{name}{letter}.{kind}" for kind in ("png", "svg") for letter in "ab"),
        f"{name}.csv",
        f"{name}.html",
    ]
    heads = [place.read_bytes()[:8] for place in places]
    assert heads[0] == heads[1] == b"\x89PNG\r\n\x1a\n"
    assert "<svg" in places[2].read_text(encoding="utf-8")
    assert places[-2].read_text(encoding="utf-8") == figures[number].csv


def test_the_same_figure_gives_the_same_picture(figures):
    assert figure_files.drawn(figures["6"], "svg") == figure_files.drawn(figures["6"], "svg")


def test_the_page_names_no_other_host(figures):
    page = figure_files.html(figures["6"]).decode("utf-8")
    assert not re.search(r'<(script|link|img)[^>]*(src|href)=["\']?http', page)
    assert "cdn.bokeh.org" not in re.sub(r"<script[^>]*>.*?</script>", "", page, flags=re.S)


def test_without_matplotlib_pictures_are_refused_with_what_to_install(figures, monkeypatch, tmp_path):
    monkeypatch.setattr(figure_files, "find_spec", lambda name: None)
    with pytest.raises(figure_files.NoMatplotlib, match="viterbi-lab\\[figures\\]"):
        figure_files.write(figures["6"], tmp_path, ["png"])


def test_the_command_writes_the_chosen_figures(tmp_path, capsys):
    assert main(["figures", str(tmp_path), "--only", "6", "7", "--kinds", "csv", "html"]) == 0
    assert sorted(place.name for place in tmp_path.iterdir()) == [
        "figure6.csv", "figure6.html", "figure7.csv", "figure7.html",
    ]  # fmt: skip
    assert "figure7.csv: Fig. 7" in capsys.readouterr().out


def test_the_command_without_matplotlib_writes_what_it_can_and_says_so(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(figure_files, "find_spec", lambda name: None)
    assert main(["figures", str(tmp_path), "--only", "6"]) == 0
    assert {place.suffix for place in tmp_path.iterdir()} == {".csv", ".html"}
    assert "viterbi-lab[figures]" in capsys.readouterr().out
    assert main(["figures", str(tmp_path), "--only", "6", "--kinds", "png"]) == 1
    assert "viterbi-lab[figures]" in capsys.readouterr().err


def test_results_of_ones_own_that_are_none_are_refused(tmp_path, capsys):
    (tmp_path / "f.json").write_text("{}", encoding="utf-8")
    assert main(["figures", str(tmp_path), "--only", "7", "--results", str(tmp_path / "f.json")]) == 1
    assert "holds no results of Fig. 7" in capsys.readouterr().err
