# NVRTC's side: the same kernels in CUDA C, from source text to PTX text in one process.
import fresh
from cuda.bindings import nvrtc

OPTIONS = [b"--gpu-architecture=compute_90", b"--no-cache"]


def versions():
    _, major, minor = checked(nvrtc.nvrtcVersion())
    return f"NVRTC {major}.{minor}"


def open_case(name, kind="ptx"):
    return Ptx(name)


def checked(answer):
    if answer[0] != nvrtc.nvrtcResult.NVRTC_SUCCESS:
        raise RuntimeError(f"NVRTC failed: {answer[0]}")
    return answer


class Ptx:
    def __init__(self, name):
        self.name = name

    def reset(self):
        text, number = fresh.source(f"cuda_c/{self.name}.cu")
        self.text, self.file = text.encode(), f"{self.name}_{number}.cu".encode()

    def run(self):
        _, program = checked(nvrtc.nvrtcCreateProgram(self.text, self.file, 0, [], []))
        compiled = nvrtc.nvrtcCompileProgram(program, len(OPTIONS), OPTIONS)
        if compiled[0] != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            _, size = checked(nvrtc.nvrtcGetProgramLogSize(program))
            log = b" " * size
            checked(nvrtc.nvrtcGetProgramLog(program, log))
            raise RuntimeError(f"NVRTC failed on {self.name}: {log.decode()}")
        _, size = checked(nvrtc.nvrtcGetPTXSize(program))
        self.ptx = b" " * size
        checked(nvrtc.nvrtcGetPTX(program, self.ptx))
        checked(nvrtc.nvrtcDestroyProgram(program))
