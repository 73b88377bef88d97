import itertools

import numpy as np
import pytest
import task_laws
from hypothesis import given, settings
from hypothesis import strategies as st

from viterbi_lab import cutting_plane, hard_margin
from viterbi_lab.iterate import Status
from viterbi_lab.oracle import most_violated, predict
from viterbi_lab.rescaling import MARGIN, QUADRATIC, SLACK, VARIANTS
from viterbi_lab.tasks.alignment import AMINO_ACIDS, Alignment, AlignmentTask, Comparison

# The referee: alignments as lists of columns (letter of x or None, letter of z or None).


def columns(x, z):
    """All global alignments of two sequences."""
    if not x and not z:
        yield []
    if x and z:
        yield from ([(x[0], z[0]), *rest] for rest in columns(x[1:], z[1:]))
    if x:
        yield from ([(x[0], None), *rest] for rest in columns(x[1:], z))
    if z:
        yield from ([(None, z[0]), *rest] for rest in columns(x, z[1:]))


def alignments(x, z, local):
    """``(columns, begin)`` of all alignments."""
    if not local:
        yield from ((found, (0, 0)) for found in columns(x, z))
        return
    for a, b in itertools.product(range(len(x) + 1), range(len(z) + 1)):
        for c, d in itertools.product(range(a, len(x) + 1), range(b, len(z) + 1)):
            yield from ((found, (a, b)) for found in columns(x[a:c], z[b:d]))


def psi(task, alignment):
    """Ψ by walking along the columns."""
    A = len(task.alphabet)
    counts, before = np.zeros(task.n_weights), None
    for a, b in alignment:
        kind = "D" if b is None else "I" if a is None else "M"
        if kind == "M":
            counts[task.alphabet.index(a) * A + task.alphabet.index(b)] += 1
        else:
            counts[A * A + (1 if task.affine and kind == before else 0)] += 1
        before = kind
    return counts


def described(alignment, begin, candidate):
    kinds = {(True, True): "M", (True, False): "D", (False, True): "I"}
    letters = "".join(kinds[a is not None, b is not None] for a, b in alignment)
    return Alignment(letters, begin, candidate)


@st.composite
def examples(draw):
    """``(task, comparison, known alignment, rng)``: up to 3 letters a sequence, up to 3 candidates."""
    alphabet = draw(st.sampled_from(["A", "AB"]))
    task = AlignmentTask(
        alphabet, local=draw(st.booleans()), affine=draw(st.booleans()), alternatives=draw(st.booleans())
    )
    sequence = st.text(alphabet, min_size=1, max_size=3)
    x = draw(sequence)
    candidates = tuple(draw(st.lists(sequence, min_size=1, max_size=3, unique=True)))
    homologue = draw(st.integers(0, len(candidates) - 1))
    all_known = [(found, begin) for found, begin in alignments(x, candidates[homologue], task.local) if found]
    known, begin = draw(st.sampled_from(all_known))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return task, Comparison(x, candidates), described(known, begin, homologue), rng


@given(examples())
@settings(max_examples=60)
def test_the_laws_of_a_task_hold(made):
    task, comparison, known, rng = made
    w = rng.integers(-2, 3, size=task.n_weights) / 2
    (example,) = task.prepare([comparison], [known])
    outputs, everything, features, true_psi = [], {}, [], None
    for c, z in enumerate(comparison.candidates):
        for found, begin in alignments(comparison.x, z, task.local):
            output = described(found, begin, c)
            features.append(psi(task, found))
            everything[output] = features[-1]
            if output == known:
                true_psi = features[-1]
                outputs.append((true_psi, 0.0))
            elif c != known.candidate or task.alternatives:
                outputs.append((features[-1], 1.0))
    np.testing.assert_array_equal(example.psi, true_psi)
    assert task.output(example.x, example.y) == known
    assert task.loss(example.y, example.y) == 0
    task_laws.hold_most_violated(task, example, outputs, w)
    worst = most_violated(task, example, w, SLACK)
    np.testing.assert_array_equal(
        task.joint_feature(example.x, worst.y_hat), everything[task.output(example.x, worst.y_hat)]
    )
    x = task.prepare_input(comparison)
    task_laws.hold_prediction(task, x, features, w)
    best = task.output(x, predict(task, x, w))
    assert everything[best] @ w == max(psi @ w for psi in features)
    scores = task.candidate_scores(x, w)
    for c in range(len(comparison.candidates)):
        assert scores[c] == max(psi @ w for output, psi in everything.items() if output.candidate == c)


@given(st.lists(examples(), min_size=2, max_size=3))
@settings(max_examples=20)
def test_all_examples_at_once_are_each_alone(several):
    task, _, _, rng = several[0]
    task = AlignmentTask("AB", local=True, affine=task.affine)
    chosen = [(comparison, known) for other, comparison, known, _ in several if other.local]
    if not chosen:
        return
    prepared = task.prepare(*zip(*chosen, strict=True))
    task_laws.hold_all_at_once(task, prepared, rng.normal(size=task.n_weights))


@pytest.mark.parametrize("local", [False, True])
def test_g14_scores_and_alignments(golden, local):
    data = golden("g14_alignment")
    for case in data["cases"]:
        task = AlignmentTask("012", local=local)
        x, z = ("".join(map(str, case[name])) for name in "xz")
        w = np.append(np.ravel(case["Pi"]), case["gap"]).astype(float)
        parts = task.prepare_input(Comparison(x, (z,)))
        y = predict(task, parts, w)
        name = "local" if local else "global"
        assert task.joint_feature(parts, y) @ w == case[f"{name}_score"]  # spec F 57
        assert task.candidate_scores(parts, w).tolist() == [case[f"{name}_score"]]
        found, path = task.output(parts, y), case[f"{name}_path"]
        assert found.operations == "".join("MDI"[op] for _, _, op in path)
        if path:
            begin = [min(p[axis] for p in path if p[axis] >= 0) for axis in (0, 1)]
            assert list(found.begin) == begin


@given(
    st.text("ACGT", min_size=1, max_size=12),
    st.text("ACGT", min_size=1, max_size=12),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=30)
def test_local_scores_are_at_least_the_global_ones_and_zero(x, z, seed):
    # spec F 56
    w = np.random.default_rng(seed).integers(-3, 4, size=17).astype(float)
    comparison = Comparison(x, (z,))
    scores = {}
    for local in (True, False):
        task = AlignmentTask("ACGT", local=local)
        scores[local] = task.candidate_scores(task.prepare_input(comparison), w)[0]
    assert scores[True] >= max(scores[False], 0.0)


def test_identical_sequences_align_fully_under_the_identity():
    w = np.append(np.eye(4).ravel(), -1.0)
    for local in (True, False):
        task = AlignmentTask("ACGT", local=local)
        x = task.prepare_input(Comparison("GATTACA", ("GATTACA",)))
        assert task.output(x, predict(task, x, w)) == Alignment("MMMMMMM")
        assert task.candidate_scores(x, w).tolist() == [7.0]


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("affine", [False, True])
def test_biopython_gives_the_same_scores(rng, local, affine):
    align = pytest.importorskip("Bio.Align")
    task = AlignmentTask("ACGT", local=local, affine=affine)
    for _ in range(20):
        x, z = ("".join(rng.choice(list("ACGT"), size=rng.integers(5, 30))) for _ in "xz")
        Pi = rng.integers(-4, 6, size=(4, 4)).astype(float)
        gaps = [-5.0, -1.0] if affine else [-2.0]
        matrix = align.substitution_matrices.Array("ACGT", 2)
        for i, a in enumerate("ACGT"):
            for j, b in enumerate("ACGT"):
                matrix[a, b] = Pi[i, j]
        aligner = align.PairwiseAligner(mode="local" if local else "global")
        aligner.substitution_matrix = matrix
        aligner.open_gap_score, aligner.extend_gap_score = gaps[0], gaps[-1]
        expected = max(aligner.score(x, z), 0.0) if local else aligner.score(x, z)
        parts = task.prepare_input(Comparison(x, (z,)))
        assert task.candidate_scores(parts, np.append(Pi.ravel(), gaps)).tolist() == [expected]


@pytest.mark.parametrize("name", list(VARIANTS))
def test_every_machine_trains_on_alignments(rng, name):
    task, X, Y = small_data(rng)
    variant = VARIANTS[name]
    *_, last = cutting_plane.iterates(
        task, task.prepare(X, Y), C=10.0, epsilon=1e-3, rescaling=variant.rescaling, penalty=variant.penalty
    )
    assert last.status is Status.CONVERGED
    for comparison, known in zip(X, Y, strict=True):
        scores = task.candidate_scores(task.prepare_input(comparison), last.w)
        assert scores.argmax() == known.candidate


def test_alignments_that_can_be_separated_are_trained_without_slack(rng):
    task, X, Y = small_data(rng)
    *_, last = hard_margin.iterates(task, task.prepare(X, Y), relative_gap=1e-3)
    assert last.status is Status.CONVERGED
    for example in task.prepare(X, Y):
        assert most_violated(task, example, last.w, MARGIN, QUADRATIC).value <= 1e-9  # rounding of w's scale


def small_data(rng):
    """Homologues are copies with one letter left out; decoys are random."""
    task, X, Y = AlignmentTask("ACGT"), [], []
    for _ in range(3):
        x = "".join(rng.choice(list("ACGT"), size=10))
        decoys = ["".join(rng.choice(list("ACGT"), size=10)) for _ in range(3)]
        X.append(Comparison(x, (decoys[0], x[:4] + x[5:], *decoys[1:])))
        Y.append(Alignment("MMMMDMMMMM", candidate=1))
    return task, X, Y


def test_rows_with_gaps_are_read():
    assert Alignment.of_rows("AC-D", "A.-D") == Alignment("MDM")
    assert Alignment.of_rows("--AC", "GGA-", local=True) == Alignment("M", (0, 2))
    assert Alignment.of_rows("A-", "-A", local=True).operations == ""
    with pytest.raises(ValueError, match="3 and 2 columns"):
        Alignment.of_rows("A--", "AA")


def test_bad_input_is_refused_in_words():
    task = AlignmentTask("AB", local=False)

    def prepare(candidates, alignment, x="AB", task=task):
        return task.prepare([Comparison(x, candidates)], [alignment])

    with pytest.raises(ValueError, match="no letter in candidate 1 of example 0"):
        prepare(("A", ""), Alignment("MD"))
    with pytest.raises(ValueError, match="no letter in the sequence of example 0"):
        prepare(("A",), Alignment("I"), x="")
    with pytest.raises(ValueError, match="Letter 'X' of candidate 0 of example 0, position 1"):
        prepare(("AX",), Alignment("MM"))
    with pytest.raises(ValueError, match="Candidates 0 and 2 of example 0 are the same sequence"):
        prepare(("AA", "B", "AA"), Alignment("MM"))
    with pytest.raises(ValueError, match="compared with nothing"):
        prepare((), Alignment("M"))
    with pytest.raises(ValueError, match="with candidate 2, of which there are 1"):
        prepare(("A",), Alignment("MD", candidate=2))
    with pytest.raises(ValueError, match="has the operations 'MX'"):
        prepare(("A",), Alignment("MX"))
    with pytest.raises(ValueError, match=r"letters 0\.\.0 of x, which has 2\. It must be of all of x"):
        prepare(("A",), Alignment("M"))
    with pytest.raises(ValueError, match=r"letters 1\.\.2 of z, which has 1\. It must be of a stretch"):
        prepare(("A",), Alignment("MM", (0, 1)), task=AlignmentTask("AB"))
    with pytest.raises(ValueError, match="Give one for each"):
        task.prepare([Comparison("A", ("A",))], [])
    with pytest.raises(ValueError, match="no example to train on"):
        task.prepare([], [])
    with pytest.raises(ValueError, match="letters, each once"):
        AlignmentTask("AA")
    assert AlignmentTask().n_weights == len(AMINO_ACIDS) ** 2 + 1
