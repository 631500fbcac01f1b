# The oracle: what Treadle must answer, worked out without Treadle.
