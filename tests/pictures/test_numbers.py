"""Numbers as people read them."""

import numpy as np
import pytest

from mhalib.pictures import decimals, percent, plain, share, short, three_digits

WRITTEN = [
    (short(-0.001, 2), "0.00"),
    (short(-0.04), "0"),
    (short(-0.06), "−0.1"),
    (short(2.0), "2"),
    (short(10.0, 0), "10"),
    (share(2 / 3), ".67"),
    (share(0.996), "1.00"),
    (share(-0.25), "−.25"),
    (share(-0.001), ".00"),
    (share(10.0), "10.00"),
    (share(np.float32(0.5), 3), ".500"),
    (decimals(3)(2 / 3), ".667"),
    (decimals(1)(-3), "−3.0"),
    (plain(5), "5"),
    (plain(-4.0), "−4"),
    (plain(1 / 9), ".11"),
    (plain(-0.25), "−.25"),
    (plain(0), "0"),
    (plain(-0.001), "0"),
    (plain(7.5), "7.5"),
    (plain(16384), "16384"),
    (plain(0.004, 3), ".004"),
    (three_digits(0.5), "0.50"),
    (three_digits(9.994), "9.99"),
    (three_digits(9.996), "10.0"),
    (three_digits(99.96), "100"),
    (three_digits(160.4), "160"),
    (percent(0), "0%"),
    (percent(1e-6), "under 0.1%"),
    (percent(0.0025), "0.2%"),
    (percent(0.119), "12%"),
    (percent(0.88), "88%"),
    (percent(0.995), "99.5%"),
    (percent(0.99995), "over 99.9%"),
    (percent(1), "100%"),
]


@pytest.mark.parametrize("text, right", WRITTEN)
def test_a_number_has_no_needless_digit_no_false_zero_and_a_real_minus_sign(text, right):
    assert text == right
