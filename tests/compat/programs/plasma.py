# Electrons and ions between two walls or round a ring: an electrostatic plasma in one dimension, with charge on a grid.

import numpy as np
import plasma_settings as settings
from numba import cuda, float64
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_normal_float64

THREADS = 64
NODES_AT_MOST = 128  # threads of the scan over nodes, all in one block
WHOLE = 1 << 32  # units of charge in a particle: sums of whole numbers are exact in any order
FLYING, AT_LEFT, AT_RIGHT = 0, 1, 2
ELECTRON, ION = 0, 1

body = np.dtype(
    [("x", np.float64), ("v", np.float64, (2,)), ("kind", np.int8), ("place", np.int8), ("number", np.int32)],
    align=True,
)


@cuda.reduce
def total(a, b):
    return a + b


def launch(kernel, n, *arguments):
    if n > 0:
        kernel[(n + THREADS - 1) // THREADS, THREADS](*arguments)


# --- what a particle does: the same for records and for arrays --------------------------------------------------------


@cuda.jit(device=True)
def locate(x):
    """Cell and how far within it, from 0 to 1."""
    scaled = x * (settings.CELLS / settings.LENGTH)
    cell = min(max(int(scaled), 0), settings.CELLS - 1)
    return cell, scaled - cell


@cuda.jit(device=True)
def share_out(units, x, sign):
    """Gives each of the two nodes beside x its share; node CELLS of a ring is node 0."""
    cell, part = locate(x)
    right = int(part * WHOLE)
    cuda.atomic.add(units, cell, sign * (WHOLE - right))
    cuda.atomic.add(units, (cell + 1) % units.size, sign * right)


@cuda.jit(device=True)
def acceleration(field, x, kind):
    cell, part = locate(x)
    here = field[cell] * (1 - part) + field[(cell + 1) % field.size] * part
    return -here if kind == ELECTRON else here / settings.ION_MASS


@cuda.jit(device=True)
def turn(vx, vy, kind):
    angle = settings.TURN_RATE * settings.TIME_STEP
    if kind == ION:
        angle = -angle / settings.ION_MASS
    c, s = np.cos(angle), np.sin(angle)
    return c * vx - s * vy, s * vx + c * vy


@cuda.jit(device=True)
def into_ring(x):
    x -= settings.LENGTH * np.floor(x / settings.LENGTH)
    return x if x < settings.LENGTH else 0.0


@cuda.jit(device=True)
def place_of(x):
    if x < 0:
        return AT_LEFT
    return AT_RIGHT if x >= settings.LENGTH else FLYING


# --- kernels for arrays -----------------------------------------------------------------------------------------------


@cuda.jit
def spread_evenly(x, ripple):
    """At equal distances, then displaced by a sine wave of that amplitude."""
    i = cuda.grid(1)
    if i < x.size:
        even = (i + 0.5) * settings.LENGTH / x.size
        x[i] = into_ring(even + ripple * np.sin(2 * np.pi * even / settings.LENGTH))


@cuda.jit
def warm(states, vx, vy, deviation):
    i = cuda.grid(1)
    if i < vx.size:
        vx[i] = deviation * xoroshiro128p_normal_float64(states, i)
        vy[i] = deviation * xoroshiro128p_normal_float64(states, i)


@cuda.jit
def less(values, n, amount):
    i = cuda.grid(1)
    if i < n:
        values[i] -= amount


@cuda.jit
def kick(x, vx, n, kind, field):
    """Half a step of the field."""
    i = cuda.grid(1)
    if i < n:
        vx[i] += 0.5 * settings.TIME_STEP * acceleration(field, x[i], kind)


@cuda.jit
def drift(x, vx, vy, n, kind):
    """The magnetic field's turn, between two halves of the way."""
    i = cuda.grid(1)
    if i < n:
        half = 0.5 * settings.TIME_STEP
        x[i] += half * vx[i]
        vx[i], vy[i] = turn(vx[i], vy[i], kind)
        x[i] += half * vx[i]


@cuda.jit
def close_ring(x, n):
    i = cuda.grid(1)
    if i < n:
        x[i] = into_ring(x[i])


@cuda.jit
def hit_walls(x, n, hits):
    """hits[AT_LEFT] and hits[AT_RIGHT] count who has just left; sorting then drops them."""
    i = cuda.grid(1)
    if i < n:
        place = place_of(x[i])
        if place != FLYING:
            cuda.atomic.add(hits, place, 1)


@cuda.jit
def charge(x, n, sign, units):
    i = cuda.grid(1)
    if i < n:
        share_out(units, x[i], sign)


@cuda.jit
def squares(vx, vy, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = vx[i] ** 2 + vy[i] ** 2


# --- kernels for the grid ---------------------------------------------------------------------------------------------


@cuda.jit
def empty(units):
    i = cuda.grid(1)
    if i < units.size:
        units[i] = 0


@cuda.jit
def density(units, a_unit, rho):
    i = cuda.grid(1)
    if i < rho.size:
        rho[i] = units[i] * a_unit


@cuda.jit
def field_round_ring(rho, field):
    """Gauss's law: the field between nodes grows by each node's charge. One block; the mean field is 0."""
    flux = cuda.shared.array(NODES_AT_MOST, float64)
    node = cuda.threadIdx.x
    flux[node] = rho[node] * (settings.LENGTH / settings.CELLS) if node < rho.size else 0.0
    cuda.syncthreads()
    reach = 1
    while reach < settings.CELLS:
        before = flux[node - reach] if node >= reach else 0.0
        cuda.syncthreads()
        flux[node] += before
        cuda.syncthreads()
        reach *= 2
    mean = 0.0
    for k in range(settings.CELLS):
        mean += flux[k]
    mean /= settings.CELLS
    if node < field.size:
        field[node] = 0.5 * (flux[node] + flux[node - 1 if node > 0 else settings.CELLS - 1]) - mean


@cuda.jit
def field_of_potential(potential, field):
    """Falls of the potential over two cells, over one beside a wall."""
    node = cuda.grid(1)
    if node < field.size:
        low, high = max(node - 1, 0), min(node + 1, settings.CELLS)
        field[node] = (potential[low] - potential[high]) / ((high - low) * (settings.LENGTH / settings.CELLS))


# --- sorting by cells -------------------------------------------------------------------------------------------------


@cuda.jit
def count_cells(x, n, cells, counts):
    """Bin CELLS is for those that a wall has caught."""
    i = cuda.grid(1)
    if i < n:
        cell = locate(x[i])[0] if place_of(x[i]) == FLYING else settings.CELLS
        cells[i] = cell
        cuda.atomic.add(counts, cell, 1)


@cuda.jit
def first_of_cells(counts, firsts):
    """firsts[c]: how many are in the cells before c; then the place of the next of c."""
    cell = cuda.grid(1)
    if cell < counts.size:
        n = 0
        for k in range(cell):
            n += counts[k]
        firsts[cell] = n


@cuda.jit
def rank(cells, n, firsts, order):
    i = cuda.grid(1)
    if i < n:
        order[cuda.atomic.add(firsts, cells[i], 1)] = i


@cuda.jit
def reorder(order, n, old, new):
    i = cuda.grid(1)
    if i < n:
        new[i] = old[order[i]]


# --- kernels for records ----------------------------------------------------------------------------------------------


@cuda.jit
def charge_bodies(bodies, units):
    i = cuda.grid(1)
    if i < bodies.size and bodies[i].place == FLYING:
        share_out(units, bodies[i].x, -1 if bodies[i].kind == ELECTRON else 1)


@cuda.jit
def kick_bodies(bodies, field):
    for i in range(cuda.grid(1), bodies.size, cuda.gridsize(1)):
        b = bodies[i]
        if b["place"] == FLYING:
            b["v"][0] += 0.5 * settings.TIME_STEP * acceleration(field, b["x"], b["kind"])


@cuda.jit
def drift_bodies(bodies, walls, hits):
    """Drift and boundaries at once; hits has a row for each kind."""
    for i in range(cuda.grid(1), bodies.size, cuda.gridsize(1)):
        b = bodies[i]
        if b.place != FLYING:
            continue
        half = 0.5 * settings.TIME_STEP
        b.x += half * b.v[0]
        b.v[0], b.v[1] = turn(b.v[0], b.v[1], b.kind)
        b.x += half * b.v[0]
        if walls:
            b.place = place_of(b.x)
            if b.place != FLYING:
                cuda.atomic.add(hits, (b.kind, b.place), 1)
        else:
            b.x = into_ring(b.x)


# --- the host ---------------------------------------------------------------------------------------------------------


def solve_tridiagonal(rho):
    """The potential between walls at 0: -(p[i-1] - 2 p[i] + p[i+1]) = rho[i] dx^2, by elimination."""
    right = rho * (settings.LENGTH / settings.CELLS) ** 2
    pivots, potential = np.full(rho.size, 2.0), np.zeros(rho.size)
    for i in range(2, rho.size - 1):
        pivots[i] -= 1 / pivots[i - 1]
        right[i] += right[i - 1] / pivots[i - 1]
    for i in range(rho.size - 2, 0, -1):
        potential[i] = (right[i] + potential[i + 1]) / pivots[i]
    return potential


class Grid:
    """Charge and field at the nodes; with walls there is one at either end, round a ring the last is the first."""

    def __init__(self, walls, particles):
        assert settings.CELLS < NODES_AT_MOST
        self.walls, self.n = walls, settings.CELLS + walls
        self.a_unit = settings.CELLS / particles / WHOLE
        self.units = cuda.to_device(np.zeros(self.n, np.int64))
        self.rho, self.field = (cuda.device_array(self.n, np.float64) for _ in range(2))

    def solve(self):
        launch(density, self.n, self.units, self.a_unit, self.rho)
        if self.walls:
            potential = cuda.to_device(solve_tridiagonal(self.rho.copy_to_host()))
            launch(field_of_potential, self.n, potential, self.field)
        else:
            field_round_ring[1, NODES_AT_MOST](self.rho, self.field)

    def energy(self):
        return energy_of_charge(self.rho.copy_to_host(), self.walls)


class Species:
    """Particles of one kind as columns x, vx, vy and number; the first n of each are still there."""

    columns = ("x", "vx", "vy", "number")

    def __init__(self, kind, n, ripple=0.0, deviation=0.0, seed=1):
        self.kind, self.n, self.sign = kind, n, -1 if kind == ELECTRON else 1
        self.mass = 1.0 if kind == ELECTRON else settings.ION_MASS
        self.x, self.vx, self.vy = (cuda.device_array(n, dtype=np.float64) for _ in range(3))
        self.number = cuda.to_device(np.arange(n, dtype=np.int32))
        self.spare = {name: cuda.device_array_like(getattr(self, name)) for name in self.columns}
        self.cells, self.order = cuda.device_array_like(self.number), cuda.device_array_like(self.number)
        self.hits = cuda.to_device(np.zeros(3, np.int32))
        launch(spread_evenly, n, self.x, ripple)
        launch(warm, n, create_xoroshiro128p_states(n, seed), self.vx, self.vy, deviation / self.mass**0.5)
        for v in (self.vx, self.vy):
            launch(less, n, v, n, total(v) / n)

    def sort(self):
        """By cells; whoever a wall has caught comes last, and is dropped."""
        counts = cuda.to_device(np.zeros(settings.CELLS + 1, np.int32))
        firsts = cuda.device_array_like(counts)
        launch(count_cells, self.n, self.x, self.n, self.cells, counts)
        launch(first_of_cells, counts.size, counts, firsts)
        launch(rank, self.n, self.cells, self.n, firsts, self.order)
        for name in self.columns:
            old, new = getattr(self, name), self.spare[name]
            launch(reorder, self.n, self.order, self.n, old, new)
            setattr(self, name, new)
            self.spare[name] = old
        self.n -= int(counts[settings.CELLS])
        return counts.copy_to_host()

    def energy(self):
        out = cuda.device_array(self.n, np.float64)
        launch(squares, self.n, self.vx, self.vy, out)
        return 0.5 * self.mass * total(out)

    def records(self):
        """Those that are still there, by their numbers."""
        found = np.zeros(self.n, body)
        x, vx, vy, found["number"] = (getattr(self, name)[: self.n].copy_to_host() for name in self.columns)
        found["x"], found["v"], found["kind"] = x, np.stack([vx, vy], -1), self.kind
        return found[np.argsort(found["number"])]


class Plasma:
    def __init__(self, n, walls=False, sort_every=3, **options):
        self.walls, self.sort_every, self.steps = walls, sort_every, 0
        electrons = Species(ELECTRON, n, **options)
        self.species = [electrons, Species(ION, n, deviation=options.get("deviation", 0.0), seed=2)]
        self.weight = settings.LENGTH / n
        self.grid = Grid(walls, n)
        self.update_field()

    def update_field(self):
        launch(empty, self.grid.n, self.grid.units)
        for s in self.species:
            launch(charge, s.n, s.x, s.n, s.sign, self.grid.units)
        self.grid.solve()

    def run(self, steps):
        for _ in range(steps):
            self.steps += 1
            for s in self.species:
                launch(kick, s.n, s.x, s.vx, s.n, s.kind, self.grid.field)
                launch(drift, s.n, s.x, s.vx, s.vy, s.n, s.kind)
                if self.walls:
                    launch(hit_walls, s.n, s.x, s.n, s.hits)
                else:
                    launch(close_ring, s.n, s.x, s.n)
                if self.walls or self.steps % self.sort_every == 0:
                    s.sort()
            self.update_field()
            for s in self.species:
                launch(kick, s.n, s.x, s.vx, s.n, s.kind, self.grid.field)

    def energies(self):
        """Of motion and of the field."""
        return self.weight * sum(s.energy() for s in self.species if s.n), self.grid.energy()

    def records(self):
        return np.concatenate([s.records() for s in self.species])


def run_records(bodies, walls, steps):
    """The same with both kinds in one array of records -> records, hits, units of charge."""
    bodies = cuda.to_device(bodies)
    grid = Grid(walls, bodies.size // 2)
    hits = cuda.to_device(np.zeros((2, 3), np.int32))
    few = max(bodies.size // (2 * THREADS), 1)  # blocks: each thread has several bodies
    launch(charge_bodies, bodies.size, bodies, grid.units)
    grid.solve()
    for _ in range(steps):
        kick_bodies[few, THREADS](bodies, grid.field)
        drift_bodies[few, THREADS](bodies, walls, hits)
        grid.units[:] = 0
        launch(charge_bodies, bodies.size, bodies, grid.units)
        grid.solve()
        kick_bodies[few, THREADS](bodies, grid.field)
    return bodies.copy_to_host(), hits.copy_to_host(), grid.units.copy_to_host()


# --- NumPy ------------------------------------------------------------------------------------------------------------


def locate_numpy(x):
    scaled = x * (settings.CELLS / settings.LENGTH)
    cell = np.clip(scaled.astype(int), 0, settings.CELLS - 1)
    return cell, scaled - cell


def units_numpy(bodies, nodes):
    units = np.zeros(nodes, np.int64)
    there = bodies[bodies["place"] == FLYING]
    sign = np.where(there["kind"] == ELECTRON, -1, 1)
    cell, part = locate_numpy(there["x"])
    right = (part * WHOLE).astype(np.int64)
    np.add.at(units, cell, sign * (WHOLE - right))
    np.add.at(units, (cell + 1) % nodes, sign * right)
    return units


def potential_numpy(rho, walls):
    """By a dense matrix between walls, by a Fourier transform round a ring."""
    right = rho * (settings.LENGTH / settings.CELLS) ** 2
    if walls:
        inner = rho.size - 2
        matrix = 2 * np.eye(inner) - np.eye(inner, k=1) - np.eye(inner, k=-1)
        return np.concatenate([[0.0], np.linalg.solve(matrix, right[1:-1]), [0.0]])
    waves = np.fft.rfft(right)
    stiffness = 2 - 2 * np.cos(2 * np.pi * np.arange(waves.size) / rho.size)
    waves[1:] /= stiffness[1:]
    waves[0] = 0
    return np.fft.irfft(waves, rho.size)


def field_numpy(rho, walls):
    potential, dx = potential_numpy(rho, walls), settings.LENGTH / settings.CELLS
    if walls:
        return -np.gradient(potential, dx)
    return (np.roll(potential, 1) - np.roll(potential, -1)) / (2 * dx)


def energy_of_charge(rho, walls):
    return 0.5 * (rho * potential_numpy(rho, walls)).sum() * settings.LENGTH / settings.CELLS


def run_numpy(bodies, walls, steps):
    b, nodes = bodies.copy(), settings.CELLS + walls
    mass = np.where(b["kind"] == ELECTRON, -1.0, settings.ION_MASS)  # with the sign of the charge
    angle = -settings.TURN_RATE * settings.TIME_STEP / mass
    hits, h = np.zeros((2, 3), np.int32), settings.TIME_STEP

    def kicked(units):
        field = field_numpy(units * (settings.CELLS / (b.size // 2) / WHOLE), walls)
        cell, part = locate_numpy(b["x"])
        here = field[cell] * (1 - part) + field[(cell + 1) % nodes] * part
        b["v"][:, 0] += np.where(b["place"] == FLYING, 0.5 * h * here / mass, 0)

    units = units_numpy(b, nodes)
    for _ in range(steps):
        kicked(units)
        there = b["place"] == FLYING
        v = b["v"] @ [1, 1j]
        turned = v * np.exp(1j * angle)
        b["x"] += np.where(there, 0.5 * h * (v.real + turned.real), 0)
        b["v"] = np.where(there[:, None], np.stack([turned.real, turned.imag], -1), b["v"])
        if walls:
            b["place"] = np.where(b["x"] < 0, AT_LEFT, np.where(b["x"] >= settings.LENGTH, AT_RIGHT, FLYING))
            np.add.at(hits, (b["kind"][there], b["place"][there]), 1)
        else:
            b["x"] %= settings.LENGTH
        units = units_numpy(b, nodes)
        kicked(units)
    hits[:, FLYING] = 0
    return b, hits, units
