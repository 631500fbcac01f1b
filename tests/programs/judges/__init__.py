# What says whether Treadle runs a random program rightly: a judge for each kind of program.
