# Hillshade and contours of a real elevation model, drawn at three times its resolution.
#
# The model is the terrain around the Jacksboro fault in Tennessee (344 x 403 heights in metres) that ships inside the
# matplotlib package. One kernel refines it by cubic splines, a second one shades it and draws the contours.
import math
import sys

import numpy as np
from treadle import cuda

BLOCK = (32, 8)
METRES_PER_DEGREE = 111_320.0
CONTOUR_INTERVAL = 50.0
# From the valleys to the tops; rows are red, green, blue between 0 and 255.
COLOURS = np.array([[118, 163, 112], [196, 204, 139], [219, 187, 133], [176, 134, 104], [238, 232, 226]], np.float64)


@cuda.jit(device=True)
def spline(before, a, b, after, t):
    """The Catmull-Rom spline from a (t = 0) to b (t = 1)."""
    slope = b - before
    bend = 2.0 * before - 5.0 * a + 4.0 * b - after
    twist = 3.0 * (a - b) + after - before
    return a + 0.5 * t * (slope + t * (bend + t * twist))


@cuda.jit(device=True)
def spline_along_row(heights, row, column, t):
    last = heights.shape[1] - 1
    row = min(max(row, 0), heights.shape[0] - 1)
    return spline(
        heights[row, max(column - 1, 0)],
        heights[row, column],
        heights[row, min(column + 1, last)],
        heights[row, min(column + 2, last)],
        t,
    )


@cuda.jit
def refine(heights, scale, fine):
    x, y = cuda.grid(2)
    if y >= fine.shape[0] or x >= fine.shape[1]:
        return
    row = y // scale
    column = x // scale
    across = (x % scale) / scale
    fine[y, x] = spline(
        spline_along_row(heights, row - 1, column, across),
        spline_along_row(heights, row, column, across),
        spline_along_row(heights, row + 1, column, across),
        spline_along_row(heights, row + 2, column, across),
        (y % scale) / scale,
    )


@cuda.jit(device=True)
def contour_ink(height, climb_per_pixel, interval):
    """How dark a contour makes a pixel, 0 to 1; lines are about a pixel wide however steep the ground."""
    offset = abs(height - interval * math.floor(height / interval + 0.5))
    distance = offset / max(climb_per_pixel, 1e-6)
    return min(max(1.2 - distance, 0.0), 1.0)


@cuda.jit
def draw(heights, cell, sun, colours, picture):
    x, y = cuda.grid(2)
    rows, columns = heights.shape
    if x >= columns or y >= rows:
        return
    left = max(x - 1, 0)
    right = min(x + 1, columns - 1)
    above = max(y - 1, 0)
    below = min(y + 1, rows - 1)
    rise_x = (heights[y, right] - heights[y, left]) / ((right - left) * cell[0])
    rise_y = (heights[below, x] - heights[above, x]) / ((below - above) * cell[1])
    facing = sun[2] - rise_x * sun[0] - rise_y * sun[1]
    light = 0.25 + 0.75 * max(facing / math.sqrt(1.0 + rise_x * rise_x + rise_y * rise_y), 0.0)

    height = heights[y, x]
    climb = math.sqrt((rise_x * cell[0]) ** 2 + (rise_y * cell[1]) ** 2)
    thin = 0.35 * contour_ink(height, climb, CONTOUR_INTERVAL)
    thick = 0.60 * contour_ink(height, 0.6 * climb, 5.0 * CONTOUR_INTERVAL)
    light *= 1.0 - max(thin, thick)

    level = min(max((height - 240.0) / 760.0, 0.0), 0.999) * (colours.shape[0] - 1)
    lower = int(level)
    share = level - lower
    for channel in range(3):
        colour = colours[lower, channel] * (1.0 - share) + colours[lower + 1, channel] * share
        picture[y, x, channel] = int(min(255.0, 1.25 * light * colour))


def sun_direction(azimuth=315.0, altitude=45.0):
    """Unit vector to the sun along columns, rows and up; degrees clockwise from north and above ground."""
    azimuth, altitude = math.radians(azimuth), math.radians(altitude)
    return (math.cos(altitude) * math.sin(azimuth), -math.cos(altitude) * math.cos(azimuth), math.sin(altitude))


def load_terrain():
    """Heights in metres, float64, north up, and the size of a cell in metres along columns and rows."""
    from matplotlib import cbook

    with cbook.get_sample_data("jacksboro_fault_dem.npz") as model:
        heights = model["elevation"].astype(np.float64)
        latitude = math.radians(float(model["ymin"] + model["ymax"]) / 2)
        size_x = float(model["dx"]) * METRES_PER_DEGREE * math.cos(latitude)
        size_y = float(model["dy"]) * METRES_PER_DEGREE
    return heights, (size_x, size_y)


def relief(heights, cell, scale=3):
    """The picture, uint8 (rows * scale, columns * scale, 3), of a 2-d float64 array of heights in metres."""
    rows, columns = heights.shape[0] * scale, heights.shape[1] * scale
    grid = ((columns + BLOCK[0] - 1) // BLOCK[0], (rows + BLOCK[1] - 1) // BLOCK[1])
    fine = cuda.device_array((rows, columns), np.float64)
    refine[grid, BLOCK](heights, scale, fine)
    picture = np.empty((rows, columns, 3), np.uint8)
    draw[grid, BLOCK](fine, (cell[0] / scale, cell[1] / scale), sun_direction(), COLOURS, picture)
    return picture


def refine_numpy(heights, scale):
    rows, columns = (np.arange(extent * scale) for extent in heights.shape)

    def along(values, positions):
        last = values.shape[1] - 1
        at = positions // scale
        t = (positions % scale) / scale
        before, a, b, after = (values[:, np.clip(at + k, 0, last)] for k in (-1, 0, 1, 2))
        slope = b - before
        bend = 2.0 * before - 5.0 * a + 4.0 * b - after
        twist = 3.0 * (a - b) + after - before
        return a + 0.5 * t * (slope + t * (bend + t * twist))

    return along(along(heights, columns).T, rows).T


def relief_numpy(heights, cell, scale=3):
    """The same picture by whole-array operations."""
    fine = np.ascontiguousarray(refine_numpy(heights, scale))
    cell = (cell[0] / scale, cell[1] / scale)
    rise_y, rise_x = np.gradient(fine, cell[1], cell[0])
    sun = sun_direction()
    facing = sun[2] - rise_x * sun[0] - rise_y * sun[1]
    light = 0.25 + 0.75 * np.maximum(facing / np.sqrt(1.0 + rise_x**2 + rise_y**2), 0.0)

    def ink(climb, interval):
        offset = np.abs(fine - interval * np.floor(fine / interval + 0.5))
        return np.clip(1.2 - offset / np.maximum(climb, 1e-6), 0.0, 1.0)

    climb = np.hypot(rise_x * cell[0], rise_y * cell[1])
    light *= 1.0 - np.maximum(0.35 * ink(climb, CONTOUR_INTERVAL), 0.60 * ink(0.6 * climb, 5.0 * CONTOUR_INTERVAL))
    level = np.clip((fine - 240.0) / 760.0, 0.0, 0.999) * (len(COLOURS) - 1)
    lower = level.astype(np.int64)
    share = (level - lower)[..., None]
    colour = COLOURS[lower] * (1.0 - share) + COLOURS[lower + 1] * share
    return np.minimum(255.0, 1.25 * light[..., None] * colour).astype(np.uint8)


def write_picture(path, picture):
    from matplotlib import image

    image.imsave(path, picture)


def main(path="terrain.png"):
    heights, cell = load_terrain()
    write_picture(path, relief(heights, cell))
    print(
        f"{path}: heights from {heights.min():.0f} to {heights.max():.0f} m, a contour every {CONTOUR_INTERVAL:.0f} m"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
