# Image kernels in blocks of (16, 16), (8, 8) and (33, 1), compared with our own (32, 8).
import peers
import workloads
from harness import Report, chosen, measure, ms, parse, start_sides

SHAPES = [(32, 8), (16, 16), (8, 8), (33, 1)]


def main():
    arguments = parse("Mandelbrot and stencil in several shapes of block.")
    report = Report("block_shapes", "our kernels in blocks of other shapes than (32, 8)", arguments)
    sides = start_sides({"treadle": peers.ours}, arguments, report)
    rows, least = [], []
    for name in chosen(["mandelbrot", "stencil"], arguments) if sides else []:
        cases = []
        for block in SHAPES:
            case = sides["treadle"].open(name, str(block), tiny=arguments.tiny, block=block)
            case.turn(0.0, least=1, keep=False)
            workloads.make(name, arguments.tiny, block=block).check(case.outputs(), f"block {block}")
            cases.append(case)
        measure(cases, rounds=1 if arguments.tiny else 9, seconds=0.15, rest=0.02)
        speeds = [cases[0].median / case.median for case in cases]
        rows.append([name, *(f"{ms(case.median)} ({speed:.2f})" for case, speed in zip(cases, speeds, strict=True))])
        least.append(min(speeds))
    report.say("\nms, medians (and speed beside (32, 8))")
    report.table(["kernel", *map(str, SHAPES)], rows)
    if least:
        report.goal("least speed beside (32, 8)", min(least), 0.6)
    report.close()


if __name__ == "__main__":
    main()
