# One module per side of the benchmarks; each opens cases with open_case(name, kind=..., **options) in its own process.
