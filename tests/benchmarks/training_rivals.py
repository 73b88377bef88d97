"""Other ways to train on the same data: dlib's solver with our oracle, and a conditional random field."""

import time

import numpy as np

from viterbi_lab.data.genes import generate
from viterbi_lab.features import HistogramBins
from viterbi_lab.oracle import SeparationOracle, most_violated, plane
from viterbi_lab.rescaling import LINEAR
from viterbi_lab.tasks.sequence import ACTIVE, SequenceTask


def gene_data(n, sigma, n_test=1, seed=0):
    """Task and examples of the paper's generator: raw signals, bias, start and end weights; and test data."""
    rng = np.random.default_rng(seed)

    def with_bias(sequences):
        return [np.column_stack([x, np.ones(len(x))]) for x, _ in sequences], [y for _, y in sequences]

    train, test = generate(n, sigma=sigma, rng=rng), generate(n_test, sigma=sigma, rng=rng)
    task = SequenceTask(2, 5, start_end=True)
    return task, task.prepare(*with_bias(train)), with_bias(test)


def histogram_data(n, sigma, seed=0):
    """Task and examples of the paper's generator with its histogram features: 88 weights."""
    sequences = generate(n, sigma=sigma, rng=np.random.default_rng(seed))
    signals = [x for x, _ in sequences]
    bins = HistogramBins.fit(signals)
    task = SequenceTask(2, bins.n_features, start_end=True, encoding=ACTIVE)
    return task, task.prepare(bins.transform_all(signals), [y for _, y in sequences])


def exact_objective(task, examples, w, C, rescaling):
    """½‖w‖² + C mean ξ with the exact slacks of these weights."""
    slack = np.maximum(SeparationOracle(task, examples, rescaling).look(w).value, 0.0)
    return 0.5 * w @ w + LINEAR.cost(slack, C)


class _AskedOneByOne:
    """What dlib asks of a structural SVM: min over w of ½‖w‖² + C mean max_ŷ (loss + ⟨w, ψ(ŷ) − ψ(y)⟩).

    That is margin rescaling; with loss Δ and ψ(y) − Δ δΨ in the place of ψ(ŷ) it is slack rescaling.
    """

    def __init__(self, task, examples, C, epsilon, rescaling):
        import dlib

        self.C, self.epsilon = C, epsilon
        self.num_samples, self.num_dimensions = len(examples), task.n_weights
        self.task, self.examples, self.rescaling, self.vector = task, examples, rescaling, dlib.vector
        self._truths = [dlib.vector(example.psi.tolist()) for example in examples]
        self.calls = 0

    def get_truth_joint_feature_vector(self, i):
        return self._truths[i]

    def separation_oracle(self, i, solution):
        self.calls += 1
        z, b = self.row(i, np.array(solution))
        return b, self.vector((self.examples[i].psi - z).tolist())

    def row(self, i, w):
        violation = most_violated(self.task, self.examples[i], w, self.rescaling)
        return plane(self.task, violation, self.rescaling)


class _AskedAllAtOnce(_AskedOneByOne):
    """The same; all answers of a round, in which dlib keeps w, come from one call of our batch oracle."""

    def __init__(self, task, examples, C, epsilon, rescaling):
        super().__init__(task, examples, C, epsilon, rescaling)
        self._oracle, self._rows, self._asked = SeparationOracle(task, examples, rescaling), [], {None}

    def row(self, i, w):
        if not self._rows or i in self._asked:
            look = self._oracle.look(w)
            self._rows = [(z, b) for _, _, z, b in look.rows(np.ones(self.num_samples, bool))]
            self._asked = set()
        self._asked.add(i)
        return self._rows[i]


def train_dlib(task, examples, C, epsilon, rescaling, *, at_once):
    """(w, oracle calls)."""
    import dlib

    kind = _AskedAllAtOnce if at_once else _AskedOneByOne
    problem = kind(task, examples, C, epsilon, rescaling)
    return np.array(dlib.solve_structural_svm_problem(problem)), problem.calls


def train_crf(examples, test, path):
    """(seconds of processor time, share of right test sites) of a conditional random field by L-BFGS."""
    import pycrfsuite

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
    found = np.concatenate([np.array(tagger.tag(items(x)), int) for x in test[0]])
    return seconds, float(np.mean(found == np.concatenate(test[1])))
