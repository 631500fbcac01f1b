"""CUDA C programs, compiled by NVIDIA's compilers, that prove the machine for PTX: see docs/testing.md."""
