"""Traces and debuggers."""
