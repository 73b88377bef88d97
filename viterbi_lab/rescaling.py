"""How a loss enters the constraints (slack or margin rescaling), and what slacks cost (sum or squares).

Every soft variant of Tsochantaridis et al. has one form,

    min  ½‖w‖² + cost(ξ)    s.t.   ⟨w, z_i(ŷ)⟩ ≥ b_i(ŷ) − ξ_i    for all i and ŷ,

with the violation H_i(ŷ) = b_i(ŷ) − ⟨w, z_i(ŷ)⟩. This module alone knows what z, b and cost are:

    slack rescaling    z = Δ^p δΨ    b = Δ^p         cost = (C/n) Σ ξ      with p = 1
    margin rescaling   z = δΨ        b = Δ^p         cost = (C/2n) Σ ξ²    with p = ½

where δΨ_i(ŷ) = Ψ(x_i, y_i) − Ψ(x_i, ŷ). Slack rescaling in the printed form ⟨w, δΨ⟩ ≥ 1 − ξ/Δ, Bauer
et al. (3), is the row above divided by Δ > 0; margin rescaling is their (4).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from viterbi_lab.dp import Combine


class Rescaling(ABC):
    """How the loss of a labelling enters its constraint."""

    name: str
    combine: Combine
    """The ⊙ of the separation oracle, Bauer et al. (12): how score and loss are combined."""

    @abstractmethod
    def offset(self, truth: float) -> float:
        """The constant c that makes (score of ŷ + c) ⊙ h the violation H(ŷ).

        Args:
            truth: ⟨w, Ψ(x, y)⟩, the score of the true labelling.
        """

    @abstractmethod
    def violation(self, advantage: float, loss: float) -> float:
        """H(ŷ) from ⟨w, δΨ(ŷ)⟩ (by how much the truth leads) and the loss Δ^p of ŷ."""

    @abstractmethod
    def factor(self, loss: float) -> float:
        """What δΨ(ŷ) is multiplied by in the row of ŷ, given Δ^p; of many losses an array of these."""

    def plane(self, delta_psi: np.ndarray, loss: float) -> tuple[np.ndarray, float]:
        """The row (z, b) of the constraint of ŷ, with H(ŷ) = b − ⟨w, z⟩ for every w.

        Args:
            delta_psi: (d,) float64, δΨ(ŷ), dense or sparse.
            loss: Δ^p of ŷ.
        """
        return delta_psi * self.factor(loss), loss

    def __repr__(self) -> str:
        return self.name.upper()

    def __reduce__(self) -> str:
        """There is one object of each kind, also after copying and pickling: the global of that name."""
        return repr(self)


class _SlackRescaling(Rescaling):
    """H(ŷ) = (1 − ⟨w, δΨ(ŷ)⟩) · Δ^p."""

    name = "slack"
    combine = Combine.TIMES

    def offset(self, truth: float) -> float:
        return 1.0 - truth

    def violation(self, advantage: float, loss: float) -> float:
        return (1.0 - advantage) * loss

    def factor(self, loss: float) -> float:
        return loss


class _MarginRescaling(Rescaling):
    """H(ŷ) = Δ^p − ⟨w, δΨ(ŷ)⟩."""

    name = "margin"
    combine = Combine.PLUS

    def offset(self, truth: float) -> float:
        return -truth

    def violation(self, advantage: float, loss: float) -> float:
        return loss - advantage

    def factor(self, loss: float) -> float:
        return np.ones_like(loss)


SLACK: Rescaling = _SlackRescaling()
MARGIN: Rescaling = _MarginRescaling()
RESCALINGS = {rescaling.name: rescaling for rescaling in (SLACK, MARGIN)}


@dataclass(frozen=True)
class Penalty:
    """What the slacks cost: cost(ξ) = (C/n) Σ_i (slope ξ_i + ½ curvature ξ_i²), ξ ≥ 0.

    Attributes:
        name: what reports call it.
        power: p, the power to which the loss enters the constraints.
        slope: 1 for the sum of the slacks, 0 for the sum of their squares.
        curvature: 0 for the sum of the slacks, 1 for the sum of their squares.
    """

    name: str
    power: float
    slope: float
    curvature: float

    def tempered(self, h: np.ndarray) -> np.ndarray:
        """The table h^p that the constraints see, with 0⁰ = 0 for the truth; (T + 1,) float64."""
        return h if self.power == 1.0 else np.where(h > 0.0, h**self.power, 0.0)

    def cost(self, slack: np.ndarray, C: float) -> float:
        """What the slacks (n,) cost."""
        return C * float(np.mean(self.slope * slack + 0.5 * self.curvature * slack**2))

    def tolerance(self, slack: np.ndarray, C: float, epsilon: float) -> float:
        """By how much cost(ξ + ε) exceeds cost(ξ): the gap that stopping at ε may leave; Cε if linear."""
        return self.cost(slack + epsilon, C) - self.cost(slack, C)

    def excess(self, slack: np.ndarray, C: float, gap: float) -> float:
        """The ε whose `tolerance` is ``gap``: the other way round."""
        steepness = self.slope + self.curvature * float(np.mean(slack))
        # the root of ½ curvature ε² + steepness ε − gap/C, without its cancellation
        root = np.sqrt(steepness**2 + 2.0 * self.curvature * gap / C)
        return 2.0 * gap / C / (steepness + root) if gap > 0.0 else 0.0


LINEAR = Penalty("linear", power=1.0, slope=1.0, curvature=0.0)
QUADRATIC = Penalty("quadratic", power=0.5, slope=0.0, curvature=1.0)
PENALTIES = {penalty.name: penalty for penalty in (LINEAR, QUADRATIC)}


@dataclass(frozen=True)
class Variant:
    """One of the soft machines of Tsochantaridis et al., by their name.

    Attributes:
        rescaling: how the loss enters.
        penalty: what the slacks cost.
        zero_one: the loss is 1 for every wrong labelling, whatever h is; both rescalings then coincide.
    """

    rescaling: Rescaling
    penalty: Penalty
    zero_one: bool = False


VARIANTS = {
    "SVM_1": Variant(MARGIN, LINEAR, zero_one=True),
    "SVM_2": Variant(MARGIN, QUADRATIC, zero_one=True),
    "SVM_1_Ds": Variant(SLACK, LINEAR),
    "SVM_2_Ds": Variant(SLACK, QUADRATIC),
    "SVM_1_Dm": Variant(MARGIN, LINEAR),
    "SVM_2_Dm": Variant(MARGIN, QUADRATIC),
}
"""SVM_1 … SVM_2^Δm; ``Ds`` is slack and ``Dm`` margin rescaling."""
