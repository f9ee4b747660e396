"""Deliberately wrong compiled roles of a factor: the kit compares each answer with the values of configurations."""

import itertools

import numpy as np
import pytest

from gapless.roles import Decisions
from gapless.testing import check_factor

EVERY = [np.array(bits, bool) for bits in itertools.product((0, 1), repeat=4)]


class Compiled:
    """An honest role, by enumeration: the interface of ``gapless_kernels.search.roles.Factor``."""

    def __init__(self, factor):
        self.factor, self.scope = factor, factor.scope(None)

    def totals(self, prices, state):
        return {
            tuple(on): self.factor.value(on) - prices[on].sum()
            for on in EVERY
            if not (on & (state == 0)).any() and not (~on & (state == 1)).any()
        }

    def value_of(self, on):
        return self.factor.value(on)

    def solve(self, prices, state):
        totals = self.totals(prices, state)
        best = max(totals, key=totals.get)
        return totals[best], np.array(best)

    def max_marginals(self, prices, state):
        totals = self.totals(prices, state)
        return tuple(
            np.array([max((t for on, t in totals.items() if on[d] == side), default=-np.inf) for d in range(4)])
            for side in (True, False)
        )

    def flip_differences(self, on):
        return np.array([self.factor.value(on ^ (np.arange(4) == d)) - self.factor.value(on) for d in range(4)])


def forgets_the_state(self, prices, state):
    return Compiled.solve(self, prices, np.full(4, -1))


def adds_prices(self, prices, state):
    return Compiled.solve(self, -prices, state)


def says_too_little(self, prices, state):
    value, on = Compiled.solve(self, prices, state)
    return value - 0.5, on


def gives_another(self, prices, state):
    return Compiled.solve(self, prices, state)[0], state == 1


def one_too_low(self, prices, state):
    on, off = Compiled.max_marginals(self, prices, state)
    return np.where(np.arange(4) == 2, on - 1, on), off


WRONG = {
    "state forgotten": ({"solve": forgets_the_state}, "is the maximum|finds a configuration of that value"),
    "prices added": ({"solve": adds_prices}, "is the maximum|finds a configuration of that value"),
    "value too low": ({"solve": says_too_little}, "the compiled value is the maximum"),
    "another configuration": ({"solve": gives_another}, "finds a configuration of that value"),
    "max-marginal too low": ({"max_marginals": one_too_low}, "max-marginals are exact"),
    "sides exchanged": (
        {"max_marginals": lambda self, p, s: Compiled.max_marginals(self, p, s)[::-1]},
        "max-marginals are exact",
    ),
    "another model": ({"value_of": lambda self, on: 1.0}, "compiled values are those of the factor"),
    "flips of the wrong sign": (
        {"flip_differences": lambda self, on: -Compiled.flip_differences(self, on)},
        "flips are differences",
    ),
    "another scope": ({"scope": np.arange(4)}, "the factor's scope"),
    "raises": ({"solve": lambda self, prices, state: 1 / 0}, "the compiled role answers"),
}


def of(honest, role):
    return type("CompiledAtMost", (honest.AtMost,), {"compiled": lambda self, decisions: role(self)})()


def test_an_honest_role_is_accepted(honest):
    check_factor(of(honest, Compiled), Decisions(6))
    parts = {"max_marginals": lambda self, p, s: None, "flip_differences": lambda self, on: None}
    check_factor(of(honest, type("Least", (Compiled,), parts)), Decisions(6))


@pytest.mark.parametrize("name", WRONG)
def test_wrong_compiled_roles(caught, honest, name):
    changes, rule = WRONG[name]
    if "scope" in changes:

        def role(factor):
            wrong = Compiled(factor)
            wrong.scope = changes["scope"]
            return wrong
    else:
        role = type("Bent", (Compiled,), changes)
    caught(rule, check_factor, of(honest, role), Decisions(6))
