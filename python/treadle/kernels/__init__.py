"""Kernels: decorated, compiled, launched, saved and reported on."""
