# The examples as a package, so that `python -m examples.demo` and the tests can import them; each also runs alone.
