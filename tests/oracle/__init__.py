# The oracle: the answers that Treadle must give, computed without Treadle.
