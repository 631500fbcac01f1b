# The grammar of random programs, of which each kind of program uses the parts that its judge can follow.
