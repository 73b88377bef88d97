"""What the charts of the Train view are given to draw, without a browser."""

from types import SimpleNamespace

import numpy as np
import pytest

from viterbi_lab.tasks.sequence import ACTIVE, SequenceTask
from viterbi_lab.ui.charts.plane import PlaneChart
from viterbi_lab.ui.charts.progress import Line, ProgressCharts
from viterbi_lab.ui.charts.ribbons import Ribbon, Ribbons, ribbon_data
from viterbi_lab.ui.charts.support import SupportChart
from viterbi_lab.ui.charts.weights import WeightCharts
from viterbi_lab.ui.palette import DARK, LIGHT
from viterbi_lab.ui.weights import Inputs, Weights


class Clicks(list):
    def __call__(self, *place):
        self.append(place)


def tap(x, y):
    return SimpleNamespace(x=x, y=y)


def data(fig, glyph=0):
    return fig.renderers[glyph].data_source.data


NAMES, HEIGHTS = ("no", "gene"), (0.2, 1.0)


def test_ribbons_cover_every_site_once_and_hatch_exactly_the_wrong_ones():
    truth, labels = np.array([0, 0, 1, 1, 0]), np.array([0, 1, 1, 0, 0])
    drawn = ribbon_data([Ribbon("ŷ", labels, truth)], NAMES, HEIGHTS, LIGHT)
    sites = [
        t
        for a, b in zip(drawn["left"], drawn["right"], strict=True)
        for t in range(round(a + 0.5), round(b + 0.5))
    ]
    assert sites == [1, 2, 3, 4, 5]
    hatched = [
        t
        for a, b, hatch in zip(drawn["left"], drawn["right"], drawn["hatch"], strict=True)
        for t in range(round(a + 0.5), round(b + 0.5))
        if hatch != "blank"
    ]
    assert hatched == [2, 4]


def test_a_click_on_a_ribbon_names_its_row_and_site():
    clicks = Clicks()
    ribbons = Ribbons(LIGHT, clicks)
    y = np.zeros(7, int)
    ribbons.draw([Ribbon("a", y, y), Ribbon("b", y, y)], NAMES, HEIGHTS, LIGHT)
    ribbons._tapped(tap(x=3.0, y=1.3))
    ribbons._tapped(tap(x=7.4, y=0.1))
    ribbons._tapped(tap(x=7.6, y=0.1))  # beyond the last site
    assert clicks == [(0, 2), (1, 6)]


def test_every_pass_of_every_visible_run_is_drawn_and_the_dual_stays_below_the_primal():
    charts = ProgressCharts(LIGHT)
    values = {
        "upper": [9.0, 5.0, 4.0],
        "lower": [0.0, 2.0, 3.9],
        "gap": [1.0, 0.6, 0.025],
        "accuracy": [0.5, 0.8, 0.9],
        "planes": [2, 4, 5],
    }
    charts.draw([Line(0, 0.05, [1, 2, 3], values), Line(6, 0.01, [1, 2, 3], values)])
    drawn = charts._line_source.data
    assert [len(curve) for curve in drawn["gap"]] == [3, 3]
    assert drawn["colour"][0] == drawn["colour"][1]  # the seventh run takes the first colour again
    assert drawn["dash"][0] != drawn["dash"][1]  # and another dash
    assert all(
        a <= b
        for low, high in zip(drawn["lower"], drawn["upper"], strict=True)
        for a, b in zip(low, high, strict=True)
    )
    assert charts._epsilon_source.data["epsilon"] == [0.01, 0.05]
    charts.repaint(DARK)
    assert len(charts._point_source.data["gap"]) == 6


def test_the_plane_shows_every_number_of_errors_and_marks_the_oracles_choice():
    clicks = Clicks()
    plane = PlaneChart(LIGHT, clicks)
    leads = np.array([0.0, 2.0, -np.inf, -1.0])
    level = 1.0 - np.arange(4.0) + 1.0  # margin: H = lead + k = 2 at k = 3, 3 at k = 1
    plane.draw("example", leads, k=1, value=3.0, level=level + 1.0, palette=LIGHT)
    assert plane._points.data["k"] == [0, 1, 3]
    assert plane._hull.data["k"] == [0, 1, 3]
    assert plane._chosen.data["k"] == [0, 1]  # here plain decoding chooses what the oracle does
    assert "prediction, most violated: k = 1" in plane._chosen.data["text"][1]
    plane._tapped(tap(0, 0))
    assert len(clicks) == 1


def test_support_sequences_are_counted_and_a_click_names_the_example():
    clicks = Clicks()
    chart = SupportChart(LIGHT, clicks)
    chart.draw(np.array([0.0, 0.4, 1.0], np.float32))
    assert chart.figure.title.text.startswith("2 of 3 examples carry weight")
    assert "1 carry all that C allows" in chart.figure.title.text
    chart._tapped(tap(x=3.2, y=0.1))
    chart._tapped(tap(x=4.2, y=0.1))
    assert clicks == [(2,)]


@pytest.fixture
def task():
    return SequenceTask(n_states=2, n_features=3, start_end=True, encoding=ACTIVE)


def test_the_tables_of_weights_hold_what_the_task_scores_with(task):
    rng = np.random.default_rng(0)
    w = rng.normal(size=task.n_weights)
    weights = Weights.of(task, w, Inputs((("all", ("a", "b", "c")),), (0, 1, 2)))
    for x in range(3):
        for y in (0, 1):
            score = task.scores(np.array([[x], [x]], np.int32), w).score(np.array([y, 1 - y]))
            parts = (
                weights.features[y, x]
                + weights.features[1 - y, x]
                + weights.steps[2, y]
                + weights.steps[y, 1 - y]
                + weights.steps[1 - y, 2]
            )
            assert parts == pytest.approx(score, rel=1e-5)  # float32


def test_names_that_do_not_fit_the_features_are_refused():
    with pytest.raises(ValueError, match="2 features are named, but 1 are shown"):
        Inputs((("all", ("a", "b")),), (0,))


def test_the_area_of_a_square_is_the_weight_and_forbidden_steps_are_crossed_out(task):
    steps, features = Clicks(), Clicks()
    charts = WeightCharts(LIGHT, steps, features)
    w = np.zeros(task.n_weights)
    w[:6] = [4.0, -1.0, 0.0, 0.0, 0.0, 0.0]
    w[6:10] = [-np.inf, 2.0, 0.0, 0.0]
    inputs = Inputs((("x", ("a", "b")), ("z", ("c",))), (0, 1, 2))
    charts.draw(Weights.of(task, w, inputs), ("−", "+"), inputs, LIGHT)
    squares = data(charts.features)
    assert list(zip(squares["x"], squares["y"], strict=True)) == [(0, 0), (1, 0)]
    assert (squares["side"][0] / squares["side"][1]) ** 2 == pytest.approx(4.0)
    assert squares["fill"] == [LIGHT.ink, LIGHT.background]  # hollow: negative
    assert charts._crosses.data == {"x": [0], "y": [0]}
    charts._feature_tapped(tap(x=2.1, y=0.9))
    charts._feature_tapped(tap(x=3.0, y=0.0))
    charts._step_tapped(tap(x=2.0, y=1.2))
    assert features == [(1, 2)]
    assert steps == [(1, 2)]
