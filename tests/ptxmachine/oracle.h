// Oracle: one instruction on edges and random numbers, compared bit for bit with the same operation in C++.
#pragma once

#include "test_device.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

namespace ptxmachine {

/// Three operands of 64 bits, of which each type takes the lowest.
struct Operands {
  uint64_t a, b, c;
};

inline std::vector<Operands> operands() {
  const uint64_t edges[] = {0,
                            1,
                            2,
                            31,
                            32,
                            63,
                            0x7F,
                            0x80,
                            0xFF,
                            0x7FFF,
                            0x8000,
                            0xFFFF,
                            0x7FFFFFFF,
                            0x80000000,
                            0xFFFFFFFF,
                            0x100000000,
                            0x7FFFFFFFFFFFFFFF,
                            0x8000000000000000,
                            0xFFFFFFFFFFFFFFFF,
                            0x3F800000,
                            0xBF800000,
                            0x7F800000,
                            0xFF800000,
                            0x7FC00000,
                            0x00000001,
                            0x00800000,
                            0x007FFFFF,
                            0x3FF0000000000000,
                            0xBFF0000000000000,
                            0x7FF0000000000000,
                            0xFFF0000000000000,
                            0x7FF8000000000000,
                            0x4F000000,
                            0x5F000000,
                            0xCF000001,
                            0x41E0000000000000,
                            0x43E0000000000000};
  std::vector<Operands> result;
  std::mt19937_64 random(7);
  const auto small = [&] { return random() >> (random() % 64); };
  for (const uint64_t a : edges)
    for (const uint64_t b : edges)
      result.push_back({a, b, small()});
  for (int at = 0; at < 3000; ++at)
    result.push_back({small(), small(), small()});
  // Floats of ordinary size.
  for (int at = 0; at < 1000; ++at) {
    const auto number = [&] {
      return std::bit_cast<uint32_t>(static_cast<float>(static_cast<int64_t>(random()) >> 20) / 1024.0f);
    };
    result.push_back({number(), number(), number()});
    const auto wide = [&] {
      return std::bit_cast<uint64_t>(static_cast<double>(static_cast<int64_t>(random()) >> 8) / 3.0);
    };
    result.push_back({wide(), wide(), wide()});
  }
  return result;
}

template <class T> T as(uint64_t bits) {
  if constexpr (sizeof(T) == 8)
    return std::bit_cast<T>(bits);
  else if constexpr (sizeof(T) == 4)
    return std::bit_cast<T>(static_cast<uint32_t>(bits));
  else if constexpr (sizeof(T) == 2)
    return std::bit_cast<T>(static_cast<uint16_t>(bits));
  else
    return std::bit_cast<T>(static_cast<uint8_t>(bits));
}

template <class T> uint64_t bits(T value) {
  uint64_t result = 0;
  std::memcpy(&result, &value, sizeof value);
  return result;
}

template <class T> std::string registerType() {
  return std::is_floating_point_v<T> ? ".f" + std::to_string(sizeof(T) * 8)
                                     : ".b" + std::to_string(std::max<size_t>(sizeof(T), 2) * 8);
}

/// The results of `opcode d, x, y, z` for all operands; `arity` of them are given.
inline std::vector<uint64_t> machineResults(const std::string &opcode, const std::string &result,
                                            const std::string types[3], unsigned arity,
                                            const std::vector<Operands> &inputs) {
  std::string text = ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry f(.param .u64 in, .param .u64 "
                     "out, .param .u32 n) {\n"
                     ".reg .b32 %r<6>; .reg .b64 %rd<9>; .reg .pred %p<2>; .reg " +
                     result + " %d; .reg " + types[0] + " %x; .reg " + types[1] + " %y; .reg " + types[2] +
                     " %z;\nld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u32 %r5, [n]; mov.u32 %r1, "
                     "%tid.x; mov.u32 %r2, %ctaid.x;\n"
                     "mad.lo.u32 %r3, %r2, 256, %r1; setp.ge.u32 %p1, %r3, %r5; @%p1 ret; mul.wide.u32 %rd3, %r3, 24; "
                     "add.s64 %rd4, %rd1, %rd3; "
                     "mul.wide.u32 %rd5, %r3, 8; add.s64 %rd6, %rd2, %rd5;\n";
  const char *names[] = {"%x", "%y", "%z"};
  for (unsigned at = 0; at < arity; ++at)
    text += "ld.global" + (types[at] == ".pred" ? std::string(".u8") : types[at]) + " " + names[at] + ", [%rd4+" +
            std::to_string(8 * at) + "];\n";
  text += opcode + " %d";
  for (unsigned at = 0; at < arity; ++at)
    text += std::string(", ") + names[at];
  text += ";\n";
  text += result == ".pred" ? "selp.b32 %r4, 1, 0, %d; st.global.b32 [%rd6], %r4; ret; }"
                            : "st.global" + result + " [%rd6], %d; ret; }";
  TestDevice device;
  const uint64_t in = device.array(inputs), out = device.array(std::vector<uint64_t>(inputs.size()));
  device.shape.block[0] = 256;
  device.shape.grid[0] = static_cast<uint32_t>((inputs.size() + 255) / 256);
  device.run(text, "f", in, out, static_cast<uint32_t>(inputs.size()));
  return device.read<uint64_t>(out);
}

template <class R, class A, class B, class C, class F>
void compare(const std::string &opcode, unsigned arity, const std::string &result, F f) {
  const std::vector<Operands> inputs = operands();
  const std::string types[] = {registerType<A>(), registerType<B>(), registerType<C>()};
  const std::vector<uint64_t> found = machineResults(opcode, result, types, arity, inputs);
  for (size_t at = 0; at < inputs.size(); ++at) {
    const R wanted = f(as<A>(inputs[at].a), as<B>(inputs[at].b), as<C>(inputs[at].c));
    if constexpr (std::is_floating_point_v<R>)
      if (std::isnan(wanted) && std::isnan(as<R>(found[at])))
        continue;
    const uint64_t mask = sizeof(R) == 8 ? ~uint64_t{0} : (uint64_t{1} << sizeof(R) * 8) - 1;
    ASSERT_EQ(found[at] & mask, bits(wanted))
        << opcode << std::hex << " of " << inputs[at].a << ", " << inputs[at].b << ", " << inputs[at].c;
  }
}

#define CHECK1(opcode, R, A, expression)                                                                               \
  compare<R, A, A, A>(opcode, 1, registerType<R>(), []([[maybe_unused]] A a, A, A) -> R { return expression; })
#define CHECK2(opcode, R, A, expression)                                                                               \
  compare<R, A, A, A>(opcode, 2, registerType<R>(),                                                                    \
                      []([[maybe_unused]] A a, [[maybe_unused]] A b, A) -> R { return expression; })
#define CHECK3(opcode, R, A, expression)                                                                               \
  compare<R, A, A, A>(opcode, 3, registerType<R>(), [](A a, A b, A c) -> R { return expression; })
#define PREDICATE(opcode, A, expression)                                                                               \
  compare<uint8_t, A, A, A>(opcode, 2, ".pred", [](A a, A b, A) -> uint8_t { return expression; })

} // namespace ptxmachine
