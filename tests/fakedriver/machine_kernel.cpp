// Allocations as the machine's regions, its faults as violations of rules.
#include "machine_kernel.h"

#include "fake_driver.h"

#include "ptxmachine/launch.h"
#include "ptxmachine/row.h"

#include <chrono>
#include <cstdio>
#include <cstring>

namespace fakecuda {

namespace {

namespace pm = ptxmachine;
constexpr uint64_t sliceSteps = 20000;

/// The region of an allocation is made when a kernel or a copy first asks for it.
class MachineMemory : public pm::DeviceMemory {
public:
  MachineMemory(Driver &driver, std::shared_ptr<Context> context) : driver(driver), context(std::move(context)) {}

  pm::Region *find(uint64_t address) override {
    const std::shared_ptr<Allocation> found = driver.memory.find(address);
    if (!found || !isReachable(*found, *context))
      return nullptr;
    return regionOf(driver, *found);
  }

  std::string describe(uint64_t address) override {
    if (const auto found = driver.memory.find(address))
      return "memory of device " + std::to_string(found->device) + " without peer access, made by " + found->madeBy;
    if (const auto dead = driver.memory.findDead(address))
      return "memory made by " + dead->madeBy + " and freed by " + dead->freedBy;
    return "no allocation is there";
  }

  uint64_t allocate(size_t bytes) override {
    const auto limit = context->limits.find(CU_LIMIT_MALLOC_HEAP_SIZE);
    const size_t most = limit == context->limits.end() ? size_t{8} << 20 : limit->second;
    if (bytes > most || context->heapBytes > most - bytes)
      return 0;
    auto made = std::make_shared<Allocation>();
    made->kind = MemoryKind::Heap;
    made->bytes = bytes;
    made->context = context;
    made->device = context->device;
    if (driver.allocate(made) != CUDA_SUCCESS)
      return 0;
    context->heapBytes += bytes;
    return made->address;
  }

  bool release(uint64_t address) override {
    const std::shared_ptr<Allocation> found = driver.memory.find(address);
    if (!found || found->kind != MemoryKind::Heap || found->address != address)
      return false;
    context->heapBytes -= found->bytes;
    freed.push_back(found);
    driver.release(found, "free() in a kernel");
    return true;
  }

  void print(const std::string &text) override {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }

private:
  Driver &driver;
  std::shared_ptr<Context> context;
  std::vector<std::shared_ptr<Allocation>> freed; ///< their regions outlive the launch
};

Rule ruleOf(pm::FaultKind kind) {
  switch (kind) {
  case pm::FaultKind::OutOfBounds:
    return Rule::KernelOutOfBounds;
  case pm::FaultKind::Misaligned:
    return Rule::Misaligned;
  case pm::FaultKind::Freed:
    return Rule::UseAfterFree;
  case pm::FaultKind::UndefinedValue:
    return Rule::UndefinedValue;
  case pm::FaultKind::ReadOnlyWritten:
    return Rule::ReadOnlyLoad;
  case pm::FaultKind::Barrier:
    return Rule::KernelBarrier;
  case pm::FaultKind::WarpFunction:
    return Rule::WarpFunction;
  case pm::FaultKind::Race:
    return Rule::KernelRace;
  case pm::FaultKind::Deadlock:
    return Rule::KernelDeadlock;
  default:
    return Rule::UnknownInstruction;
  }
}

CUresult resultOf(pm::FaultKind kind) {
  switch (kind) {
  case pm::FaultKind::Misaligned:
    return CUDA_ERROR_MISALIGNED_ADDRESS;
  case pm::FaultKind::OutOfBounds:
  case pm::FaultKind::Freed:
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  case pm::FaultKind::Deadlock:
    return CUDA_ERROR_LAUNCH_TIMEOUT;
  default:
    return CUDA_ERROR_LAUNCH_FAILED;
  }
}

class MachineRun : public RunningWork {
public:
  MachineRun(Driver &driver, const Function &function, const std::vector<std::byte> &parameters,
             const LaunchShape &shape)
      : name(function.entry->name), memory(driver, function.context) {
    pm::LaunchShape wanted;
    std::copy(std::begin(shape.grid), std::end(shape.grid), wanted.grid);
    std::copy(std::begin(shape.block), std::end(shape.block), wanted.block);
    wanted.dynamicShared = shape.sharedBytes;
    wanted.isCooperative = shape.isCooperative;
    const std::vector<unsigned> &required = function.entry->cluster;
    for (size_t axis = 0; axis < 3; ++axis) // without the attribute the text's
      wanted.cluster[axis] = shape.cluster[0] ? shape.cluster[axis] : axis < required.size() ? required[axis] : 1;
    pm::LaunchOptions options;
    options.seed = driver.pick(~size_t{0});
    options.findsRaces = driver.config.kernelRaces;
    launch = std::make_unique<pm::Launch>(function.module->program, name, parameters, wanted, memory, options);
  }

  bool step(Driver &driver, CUresult &result) override {
    const auto before = std::chrono::steady_clock::now();
    const uint64_t counted = launch->threadInstructions();
    try {
      const bool isDone = launch->run(sliceSteps);
      driver.threadInstructions += launch->threadInstructions() - counted;
      spent += std::chrono::steady_clock::now() - before;
      if (!isDone && spent > std::chrono::milliseconds(driver.config.kernelMs)) {
        result = driver.violate(Rule::Hang, name + " has run for too long:\n" + launch->describe(),
                                CUDA_ERROR_LAUNCH_TIMEOUT);
        return true;
      }
      return isDone;
    } catch (const pm::Fault &fault) {
      result = resultOf(fault.kind);
      if (fault.kind == pm::FaultKind::Trap)
        std::fprintf(stderr, "%s: %s\n", name.c_str(), fault.what());
      else
        driver.violate(ruleOf(fault.kind), name + ": " + fault.what(), result);
      return true;
    }
  }

  std::vector<Access> accesses() const override {
    std::vector<Access> result;
    for (const pm::Touched &each : launch->touched())
      if (!each.region->isOfThread)
        result.push_back(
            {each.region->address + each.offset, each.bytes, each.isWritten ? AccessKind::Write : AccessKind::Read});
    return result;
  }

private:
  std::string name;
  MachineMemory memory;
  std::unique_ptr<pm::Launch> launch;
  std::chrono::steady_clock::duration spent{};
};

} // namespace

pm::Region *regionOf(Driver &driver, Allocation &allocation) {
  if (!allocation.region) {
    allocation.region = std::make_shared<pm::Region>();
    pm::Region &region = *allocation.region;
    region.address = allocation.address;
    region.bytes = allocation.bytes;
    region.data = allocation.view;
    region.id = static_cast<uint32_t>(driver.nextRegionId());
    region.isConstant = allocation.isConstant;
    region.isOfThread = allocation.kind == MemoryKind::Heap;
    region.name = std::string(memoryKindName(allocation.kind)) + " memory made by " + allocation.madeBy;
    if (allocation.kind == MemoryKind::Device || allocation.kind == MemoryKind::Async ||
        allocation.kind == MemoryKind::Heap)
      region.written = pm::WrittenBytes(allocation.bytes);
  }
  return allocation.region.get();
}

void markWritten(Driver &driver, Allocation &allocation, const Access &access) {
  regionOf(driver, allocation)->written.set(access.address - allocation.address, access.bytes, true);
}

namespace {
std::shared_ptr<const pm::Program> decode(const PtxModule &module, const std::map<std::string, uint64_t> &addresses,
                                          std::string &problem) {
  try {
    return std::make_shared<const pm::Program>(module.parsed, addresses);
  } catch (const pm::LoadError &error) {
    problem = error.what();
    return nullptr;
  }
}
} // namespace

CUresult loadProgram(Driver &driver, Module &module, std::string &problem) {
  std::map<std::string, uint64_t> addresses;
  for (const PtxVariable &variable : module.ptx.variables) {
    auto allocation = std::make_shared<Allocation>();
    allocation->kind = MemoryKind::Global;
    allocation->bytes = variable.bytes;
    allocation->context = module.context;
    allocation->device = module.context->device;
    if (const CUresult result = driver.allocate(allocation); result != CUDA_SUCCESS)
      return result;
    module.globals[variable.name] = allocation;
    addresses[variable.name] = allocation->address;
  }
  try {
    for (const pm::Variable &variable : module.ptx.parsed->variables) {
      const auto found = module.globals.find(variable.name);
      if (found == module.globals.end())
        continue;
      const std::vector<std::byte> bytes = pm::initialBytes(*module.ptx.parsed, variable, addresses);
      std::memcpy(found->second->view, bytes.data(), bytes.size());
      found->second->isConstant = variable.space == pm::Space::Const;
    }
  } catch (const pm::LoadError &error) {
    problem = error.what();
    return CUDA_ERROR_INVALID_PTX;
  }
  module.program = decode(module.ptx, addresses, problem);
  return module.program ? CUDA_SUCCESS : CUDA_ERROR_INVALID_PTX;
}

CUresult tryProgram(const PtxModule &module, std::string &problem) {
  std::map<std::string, uint64_t> addresses;
  for (const PtxVariable &variable : module.variables)
    addresses[variable.name] = 0;
  return decode(module, addresses, problem) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_PTX;
}

std::shared_ptr<Work> machineWork(const std::shared_ptr<Function> &function, std::vector<std::byte> parameters,
                                  const LaunchShape &shape) {
  auto work = std::make_shared<Work>();
  work->name = function->entry->name;
  work->begin = [function, parameters = std::move(parameters), shape](Driver &d) -> std::unique_ptr<RunningWork> {
    return std::make_unique<MachineRun>(d, *function, parameters, shape);
  };
  return work;
}

} // namespace fakecuda

extern "C" uint64_t fakeCudaThreadInstructions() { return fakecuda::driver().threadInstructions; }

extern "C" int fakeCudaPtxRow(size_t index, const char **pattern, const char **operands) {
  const ptxmachine::Row *row = ptxmachine::rowAt(index);
  if (row)
    *pattern = row->pattern, *operands = row->operands;
  return row != nullptr;
}

extern "C" int fakeCudaKnowsPtx(const char *opcode) { return ptxmachine::findRow(opcode).row != nullptr; }
