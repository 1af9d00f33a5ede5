"""
Option pricing by Monte Carlo
=============================

The price of an option is the mean of what it pays, over many random futures. For a European call
Black and Scholes have a formula, which the random prices approach; an Asian call pays by the mean
price along the way, and has none.
"""

# %%
# The market, and the formula.

import math

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import norm

import cupola as cp

SPOT, RATE, VOLATILITY, YEARS = 100.0, 0.03, 0.25, 1.0
PATHS, STEPS = 100_000, 64
strikes = np.linspace(70, 140, 15)


def black_scholes(strike):
    """The price of a European call."""
    deviation = VOLATILITY * math.sqrt(YEARS)
    d1 = (np.log(SPOT / strike) + (RATE + VOLATILITY**2 / 2) * YEARS) / deviation
    return SPOT * norm.cdf(d1) - strike * math.exp(-RATE * YEARS) * norm.cdf(d1 - deviation)


# %%
# Random walks of the logarithm of the price. Numbers are drawn on the device; random walks are
# their running sums.

generator = cp.random.default_rng(7)
dt = YEARS / STEPS
noise = generator.standard_normal((PATHS, STEPS), dtype="float32")
walks = cp.cumsum((RATE - VOLATILITY**2 / 2) * dt + VOLATILITY * math.sqrt(dt) * noise, axis=1)
prices = SPOT * cp.exp(walks)
last, mean_price = prices[:, -1], prices.mean(axis=1)

# %%
# What all options pay on all paths, by one broadcast: the means are computed without storing it.

discount = math.exp(-RATE * YEARS)
on_device = cp.asarray(strikes)[:, None]
european = cp.asnumpy(discount * cp.maximum(last - on_device, 0).mean(axis=1))
asian = cp.asnumpy(discount * cp.maximum(mean_price - on_device, 0).mean(axis=1))
error = cp.asnumpy(cp.maximum(last - on_device, 0).std(axis=1)) / math.sqrt(PATHS)

# %%
# Some walks, and the prices.

figure, (left, right) = plt.subplots(1, 2, figsize=(10.5, 4.2), layout="constrained")
left.plot(np.linspace(dt, YEARS, STEPS), cp.asnumpy(prices[:60]).T, lw=0.7)
left.set(xlabel="years", ylabel="price")
right.plot(strikes, black_scholes(strikes), label="European, by the formula")
right.errorbar(strikes, european, 3 * error, fmt="o", ms=4, label="European, by the paths")
right.plot(strikes, asian, "s", ms=4, label="Asian")
right.set(xlabel="strike", ylabel="price of the call")
right.legend()
plt.show()

# %%
# The formula lies within the error, and a mean varies less than the last price does.

assert (np.abs(european - black_scholes(strikes)) < 5 * error + 1e-3).all()
assert (asian < european + 1e-6)[strikes >= 95].all()
