"""Transition scores as the column generation kernels read them."""

import numpy as np
import pytest

from gapless_kernels import centring, score_spread, transition_tables


def test_centring_takes_means_that_leave_out_masks():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(30, 30)) + rng.normal(size=30) * 5 + rng.normal(size=(30, 1)) * 5
    leaving, entering = centring(scores)
    centred = scores - leaving[:, None] - entering
    np.testing.assert_allclose(centred.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(centred.mean(axis=1), 0, atol=1e-12)
    for mask in (-np.inf, -1e9):
        masked = np.where(rng.random((30, 30)) < 0.3, mask, scores)
        leaving, entering = centring(masked)
        assert np.abs(leaving).max() < 20
        assert np.abs(entering).max() < 20
    for leaving, entering in (centring(np.full((3, 3), -np.inf)), centring(np.where(np.eye(3) > 0, 0.0, -1e9))):
        assert not leaving.any()
        assert not entering.any()


def test_transition_tables_hold_the_centred_scores():
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(19, 19))
    tables = transition_tables(scores, np.float32)
    expected = scores - tables.leaving[:, None] - tables.entering
    np.testing.assert_allclose(tables.forward[:, :19], expected, atol=1e-6)
    np.testing.assert_array_equal(tables.backward[:, :19], tables.forward[:, :19].T)
    np.testing.assert_array_equal(tables.into[:19], tables.forward[:, :19].max(axis=0))
    np.testing.assert_array_equal(tables.out_of[:19], tables.forward[:, :19].max(axis=1))
    assert tables.forward.shape == (19, 32)
    assert tables.forward.ctypes.data % 64 == 0
    assert tables.lowered is None
    assert transition_tables(np.where(np.eye(19) > 0, -np.inf, scores), np.float64).lowered.sum() == 19
    with pytest.raises(ValueError, match="K, K"):
        transition_tables(np.zeros((2, 3)), np.float32)


def test_score_spread_is_a_power_of_two_and_forgives_masks():
    rng = np.random.default_rng(2)
    scores = rng.normal(size=(500, 20)) * 3
    assert score_spread(scores) in (4.0, 8.0)
    scores[:, 3] = -np.inf
    assert score_spread(scores) in (4.0, 8.0, 16.0)
    assert score_spread(np.zeros((4, 3))) == 0.0
    assert score_spread(np.full((2, 2), -np.inf)) == 0.0
    assert score_spread(np.full((2, 2), np.nan)) == 0.0
