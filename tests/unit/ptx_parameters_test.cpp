// Parameters of PTX kernels: the declaration, the layout in the image and the packed bytes agree.
#include "launch/arg_pack.h"
#include "ptx_check.h"
#include "sample_kernels.h"

#include <bit>
#include <cstring>
#include <regex>

namespace treadle {
namespace {

using namespace treadle::test;
using Source = ParameterLeaf::Source;

struct Parameter {
  uint32_t offset, bytes;
  bool operator==(const Parameter &) const = default;
};

/// Parsed from the entry's declaration as the driver does: each parameter at the next multiple of its size.
std::vector<Parameter> declaredIn(const std::string &ptx) {
  const size_t begin = ptx.find(".entry"), end = ptx.find(')', begin);
  const std::string text = ptx.substr(begin, end - begin);
  static const std::regex declaration(R"(\.param \.[a-z](\d+))");
  std::vector<Parameter> list;
  uint32_t place = 0;
  for (std::sregex_iterator it(text.begin(), text.end(), declaration), last; it != last; ++it) {
    const auto bytes = uint32_t(std::stoul((*it)[1])) / 8;
    place = (place + bytes - 1) / bytes * bytes;
    list.push_back({place, bytes});
    place += bytes;
  }
  return list;
}

/// Arguments of a kernel, all with different values: scalar n is 100 + n, array n begins at 4096 * (n + 1), its axis k
/// has 10 * n + k + 1 elements.
class Arguments {
public:
  explicit Arguments(const Signature &signature) {
    std::vector<const Type *> types;
    for (const Type *argument : signature.arguments)
      appendLeaves(argument, types);
    shapes.resize(types.size());
    strides.resize(types.size());
    for (size_t i = 0; i < types.size(); ++i)
      add(types[i], i);
  }

  std::vector<ArgumentLeaf> leaves;

  int64_t expected(const ParameterLeaf &leaf) const {
    switch (leaf.source) {
    case Source::Pointer:
      return int64_t(leaf.argument + 1) * 4096;
    case Source::Extent:
      return int64_t(leaf.argument) * 10 + leaf.index + 1;
    case Source::Stride:
      return strides[leaf.argument][leaf.index];
    default:
      return 100 + leaf.argument;
    }
  }

private:
  std::vector<std::vector<int64_t>> shapes, strides;

  void add(const Type *type, size_t i) {
    ArgumentLeaf leaf{};
    leaf.kind = ArgumentLeaf::Kind::Signed;
    leaf.integer = 100 + int64_t(i);
    if (type->isArray()) {
      for (unsigned axis = 0; axis < type->ndim(); ++axis) {
        shapes[i].push_back(int64_t(i) * 10 + axis + 1);
        strides[i].push_back(int64_t(i) * 1000 + axis * 8);
      }
      leaf.kind = ArgumentLeaf::Kind::Array;
      leaf.data = reinterpret_cast<char *>((i + 1) * 4096);
      leaf.shape = shapes[i].data();
      leaf.strides = strides[i].data();
    }
    leaves.push_back(leaf);
  }
};

/// The number at a parameter's offset; floats by value.
int64_t numberAt(const std::vector<char> &block, const ParameterLeaf &leaf, const Type *type) {
  int64_t number = 0;
  std::memcpy(&number, block.data() + leaf.offset, leaf.bytes);
  if (leaf.source != Source::Scalar || !type->isFloat())
    return number;
  if (leaf.bytes == 8)
    return int64_t(std::bit_cast<double>(number));
  return int64_t(std::bit_cast<float>(int32_t(number)));
}

void check(const TypedRef &kernel, const Facts &facts) {
  const Image image = compilePtx(kernel, facts);
  SCOPED_TRACE(image.code);
  std::vector<Parameter> told;
  for (const ParameterLeaf &leaf : image.parameters.leaves)
    told.push_back({leaf.offset, leaf.bytes});
  EXPECT_EQ(declaredIn(image.code), told);
  std::vector<const Type *> types;
  for (const Type *argument : image.signature.arguments)
    appendLeaves(argument, types);
  const Arguments arguments(image.signature);
  const ArgPack pack(image);
  constexpr char untouched = 0x55;
  std::vector<char> block(pack.size(), untouched);
  pack.pack(arguments.leaves, block.data());
  for (const ParameterLeaf &leaf : image.parameters.leaves)
    if (leaf.source == Source::GridBarrier)
      EXPECT_EQ(std::string(block.data() + leaf.offset, leaf.bytes), std::string(leaf.bytes, untouched));
    else
      EXPECT_EQ(numberAt(block, leaf, types[leaf.argument]), arguments.expected(leaf));
}

TEST(PtxParameters, DeclaredToldAndPackedAlike) {
  for (const Facts &facts : {Facts(), allFacts()})
    for (const TypedRef &kernel :
         {saxpyKernel(), gridStrideKernel(), mandelbrotKernel(), tiledMatmulKernel(), stencilKernel()})
      check(kernel, facts);
}

/// Stores after a barrier of the whole grid, if the kernel has an array to store to.
TypedRef cooperativeKernel(bool hasArgument) {
  TypedBuilder b("cooperative");
  if (!hasArgument)
    return b.finish({b.gridBarrier()});
  Slot *n = b.parameter("n", types::int32());
  Slot *out = b.parameter("out", types::array(types::float64(), {1, Layout::Any, false, Space::Global}));
  return b.finish({b.gridBarrier(), b.store(out, b.convert(b.read(n), types::int64()), b.real(1))});
}

TEST(PtxParameters, TheGridBarriersWordIsNoArgument) {
  for (const bool hasArgument : {false, true}) {
    check(cooperativeKernel(hasArgument), {});
    const Image image = compilePtx(cooperativeKernel(hasArgument));
    ASSERT_FALSE(image.parameters.leaves.empty());
    EXPECT_EQ(image.parameters.leaves.back().source, Source::GridBarrier);
  }
}

} // namespace
} // namespace treadle
