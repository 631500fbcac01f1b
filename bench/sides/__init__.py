# One module per side of the benchmarks; each opens cases by open_case(name, kind=..., **options) in its own process.
