"""How the whole is run. Every process imports this package first."""

import gc

# By default Python looks for garbage at every 700 new objects. That is a seventh of the work of a process that starts,
# and 6 to 8 % of that of a test process.
gc.set_threshold(10_000, 20, 20)
