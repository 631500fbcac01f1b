"""Devices, their memory, arrays and streams."""
