"""Other ways to train on the same data: dlib's solver with our oracle, and a conditional random field."""

import time

import dlib
import numpy as np
import pycrfsuite

from viterbi_lab.data.genes import generate
from viterbi_lab.oracle import SeparationOracle
from viterbi_lab.tasks.sequence import SequenceTask


def gene_data(n, sigma, seed=0):
    """Task and examples of spec C.1 with its raw signals, a bias, start and end weights; and test data."""
    rng = np.random.default_rng(seed)
    train, test = generate(n, sigma=sigma, rng=rng), generate(500, sigma=sigma, rng=rng)

    def with_bias(sequences):
        return [np.column_stack([x, np.ones(len(x))]) for x, _ in sequences], [y for _, y in sequences]

    task = SequenceTask(2, 5, start_end=True)
    return task, task.prepare(*with_bias(train)), with_bias(test)


class DlibProblem:
    """What dlib asks of a structural SVM: its n-slack objective with margin rescaling is min over w of
    ½‖w‖² + C · mean of max_ŷ (loss + ⟨w, ψ(ŷ) − ψ(y)⟩). Slack rescaling is that with loss Δ and ψ(y) − Δ δΨ.

    It asks example by example at the same w; the answers are found for all in one call of our batch oracle.
    """

    def __init__(self, task, examples, C, epsilon, rescaling):
        self.C, self.epsilon = C, epsilon
        self.num_samples, self.num_dimensions = len(examples), task.n_weights
        self.oracle = SeparationOracle(task, examples, rescaling)
        self._truths = [dlib.vector(example.psi.tolist()) for example in examples]
        self._psi = np.array([example.psi for example in examples])
        self._answers, self._asked = None, set()
        self.calls = 0

    def get_truth_joint_feature_vector(self, i):
        return self._truths[i]

    def separation_oracle(self, i, solution):
        self.calls += 1
        if self._answers is None or i in self._asked:  # a new round, at new weights
            look, self._asked = self.oracle.look(np.array(solution)), set()
            rows = look.rows(np.ones(self.num_samples, bool))
            self._answers = [(b, self._psi[j] - z) for j, _, z, b in rows]
        self._asked.add(i)
        loss, psi = self._answers[i]
        return loss, dlib.vector(psi.tolist())


def train_dlib(task, examples, C, epsilon, rescaling):
    """(w, oracle calls)."""
    problem = DlibProblem(task, examples, C, epsilon, rescaling)
    return np.array(dlib.solve_structural_svm_problem(problem)), problem.calls


def train_crf(examples, test, path):
    """(seconds of processor time, share of right test sites) of a conditional random field, L-BFGS."""
    X, Y = test

    def items(x):
        return [{f"f{f}": value for f, value in enumerate(row)} for row in x.tolist()]

    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    for example in examples:
        trainer.append(items(example.x), [str(label) for label in example.y])
    begin = time.process_time()
    trainer.train(str(path))
    seconds = time.process_time() - begin
    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    right = [
        found == str(true)
        for x, y in zip(X, Y, strict=True)
        for found, true in zip(tagger.tag(items(x)), y, strict=True)
    ]
    return seconds, float(np.mean(right))
