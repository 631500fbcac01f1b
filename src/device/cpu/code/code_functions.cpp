// One address for each symbol of the table.
#include "device/cpu/code/code_functions.h"

#include "border/code_symbols.h"
#include "device/cpu/code/half_calls.h"
#include "math/routine_address.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>

extern "C" void treadle_cpu_safepoint();
extern "C" [[noreturn]] void treadle_cpu_fail(const treadle::cpu::FailureCall *call);
extern "C" void treadle_cpu_print(const treadle::cpu::PrintCall *call);
extern "C" void treadle_cpu_allocate(const treadle::cpu::HeapCall *call);
extern "C" uint64_t treadle_cpu_nanoseconds();
extern "C" void treadle_cpu_run_block(const treadle::cpu::BlockCall *call);
extern "C" uint64_t treadle_cpu_barrier(uint32_t here, uint32_t alive, const treadle::cpu::BarrierCall *call);
extern "C" uint64_t treadle_cpu_gather(uint32_t here, uint32_t alive, const treadle::cpu::GatherCall *call);
extern "C" void treadle_cpu_grid_barrier();
extern "C" void treadle_cpu_cluster_barrier();
extern "C" void treadle_cpu_breakpoint();
extern "C" void treadle_cpu_block_yield();
extern "C" uint64_t treadle_cpu_yield(uint32_t here, uint32_t alive);

namespace treadle::cpu {

namespace {

template <typename Signature> const void *address(Signature *function) {
  return reinterpret_cast<const void *>(function);
}

struct Function {
  std::string_view symbol;
  const void *address;
};

/// Every symbol of the table has a row.
const void *functionOf(std::string_view symbol) {
  const Function table[] = {
      {pollWordSymbol, pollWord()},
      {safepointSymbol, address(&treadle_cpu_safepoint)},
      {failSymbol, address(&treadle_cpu_fail)},
      {printSymbol, address(&treadle_cpu_print)},
      {allocateSymbol, address(&treadle_cpu_allocate)},
      {timerSymbol, address(&treadle_cpu_nanoseconds)},
      {runBlockSymbol, address(&treadle_cpu_run_block)},
      {barrierSymbol, address(&treadle_cpu_barrier)},
      {gatherSymbol, address(&treadle_cpu_gather)},
      {yieldSymbol, address(&treadle_cpu_yield)},
      {gridBarrierSymbol, address(&treadle_cpu_grid_barrier)},
      {clusterBarrierSymbol, address(&treadle_cpu_cluster_barrier)},
      {breakpointSymbol, address(&treadle_cpu_breakpoint)},
      {blockYieldSymbol, address(&treadle_cpu_block_yield)},
      {"memcpy", address(&std::memcpy)},
      {"memset", address(&std::memset)},
      {"memmove", address(&std::memmove)},
      {"floorf", address<float(float)>(&std::floor)},
      {"floor", address<double(double)>(&std::floor)},
      {"ceilf", address<float(float)>(&std::ceil)},
      {"ceil", address<double(double)>(&std::ceil)},
      {"truncf", address<float(float)>(&std::trunc)},
      {"trunc", address<double(double)>(&std::trunc)},
      {"roundevenf", address<float(float)>(&std::nearbyint)},
      {"roundeven", address<double(double)>(&std::nearbyint)},
      {"fmaf", address<float(float, float, float)>(&std::fma)},
      {"fma", address<double(double, double, double)>(&std::fma)},
      {"fminf", address<float(float, float)>(&std::fmin)},
      {"fmin", address<double(double, double)>(&std::fmin)},
      {"fmaxf", address<float(float, float)>(&std::fmax)},
      {"fmax", address<double(double, double)>(&std::fmax)},
      {"__extendhfsf2", address(&extendHalf)},
      {"__truncsfhf2", address(&truncateToHalf)},
      {"__truncdfhf2", address(&truncateDoubleToHalf)},
  };
  static_assert(std::size(table) == std::size(codeSymbols));
  const auto *found = std::ranges::find(table, symbol, &Function::symbol);
  return found == std::end(table) ? nullptr : found->address;
}

} // namespace

const void *codeAddress(std::string_view symbol) {
  const void *const found = functionOf(symbol);
  return found ? found : math::routineAddress(symbol);
}

} // namespace treadle::cpu
