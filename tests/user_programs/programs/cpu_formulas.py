# Formulas of a program for the CPU, without any decorator: another module makes device functions of them.
import math

RADIUS = 6371.0


def haversine(lat1, lon1, lat2, lon2):
    """Distance in km of two places given in degrees."""
    p1, p2 = math.radians(lat1), math.radians(lat2)
    h = math.sin((p2 - p1) / 2) ** 2 + math.cos(p1) * math.cos(p2) * math.sin(math.radians(lon2 - lon1) / 2) ** 2
    return 2 * RADIUS * math.asin(math.sqrt(h))


def clip(value, low=0.0, high=1.0):
    return low if value < low else high if value > high else value


def weight(distance, scale=1000.0, *, power=2):
    return clip(1 - distance / scale) ** power


def nearest(distances):
    best = 0
    for k, d in enumerate(distances):
        if d < distances[best]:
            best = k
    return best
