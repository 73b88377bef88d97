"""The best score of each number of errors: what the oracle chooses from, without any table kept."""

import numpy as np

from viterbi_lab.dp import kernels, layout
from viterbi_lab.dp.plan import Plan
from viterbi_lab.dp.problem import ChainProblem


def best_scores(problem: ChainProblem) -> np.ndarray:
    """Return max_s L_{T,k}(s) for every k, Bauer et al. (16): the largest score among labellings of cost k.

    Args:
        problem: any problem; its h, ⊙ and offset do not matter.

    Returns:
        (K+1,) float64; −inf where no labelling that is allowed has cost k.

    Raises:
        TooBig: if it would need more memory than `Limits.decode_bytes` allows.
    """
    scores, plan = problem.scores, Plan.of(problem)
    S, reach = scores.n_tuples, plan.reach
    never = reach.size + 1  # levels until the next checkpoint: none is needed, nobody walks back
    last = kernels.forward(
        scores.initial,
        problem.first_cost,
        scores.transitions,
        scores.emissions,
        problem.step_cost,
        reach,
        never,
        np.empty(S * (int(reach[0]) + 1)),
        np.zeros(2, np.int64),
        np.empty(2 * S * plan.width),
        np.empty(layout.pair_room(S)),
        plan.width,
    )
    best = np.full(problem.h.size, -np.inf)
    reached = int(reach[-1]) + 1
    best[:reached] = last.reshape(S, plan.width)[:, :reached].max(axis=0)
    return best
