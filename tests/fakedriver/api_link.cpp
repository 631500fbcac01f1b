// The driver API: linking PTX texts and cubins.
#include "call.h"
#include "images.h"
#include "machine_kernel.h"

#include <fstream>
#include <iterator>

using namespace fakecuda;

namespace {

std::shared_ptr<Link> findOpen(Driver &d, CUlinkState state) {
  std::shared_ptr<Link> link = d.find<Link>(state, Kind::Link);
  if (!link || link->cubin.empty())
    return link;
  d.violate(Rule::InvalidArgument, "the link is complete", CUDA_ERROR_INVALID_VALUE);
  return nullptr;
}

CUresult fail(Link &link, CUresult result, const std::string &problem) {
  link.options.addError(problem);
  link.options.finish();
  return result;
}

struct Input {
  CUjitInputType type;
  std::string bytes, name;
};

/// Texts are read now, as the driver does: a wrong one is this call's error.
CUresult add(Driver &d, CUlinkState state, const Input &input) {
  const std::shared_ptr<Link> link = findOpen(d, state);
  if (!link)
    return CUDA_ERROR_INVALID_HANDLE;
  std::vector<std::string> texts;
  std::string problem;
  CUresult result = CUDA_SUCCESS;
  if (input.type == CU_JIT_INPUT_PTX)
    texts = {input.bytes.c_str()}; // up to the first zero
  else if (input.type == CU_JIT_INPUT_CUBIN || input.type == CU_JIT_INPUT_OBJECT)
    result = readImage(d.config, input.bytes.data(), texts, problem);
  else
    return fail(*link, CUDA_ERROR_INVALID_IMAGE, input.name + ": only PTX and cubins can be linked here");
  PtxModule alone;
  if (result == CUDA_SUCCESS)
    result = readTexts(d.config, texts, alone, problem);
  if (result != CUDA_SUCCESS)
    return fail(*link, result, input.name + ": " + problem);
  link->texts.insert(link->texts.end(), texts.begin(), texts.end());
  return CUDA_SUCCESS;
}

/// The caller's view of the cubin is unmapped with the link: reading it later crashes.
CUresult complete(Driver &d, CUlinkState state, void **cubin, size_t *bytes) {
  const std::shared_ptr<Link> link = findOpen(d, state);
  if (!link)
    return CUDA_ERROR_INVALID_HANDLE;
  PtxModule module;
  std::string problem = "nothing was added";
  CUresult result = CUDA_ERROR_INVALID_IMAGE;
  if (!link->texts.empty())
    result = readTexts(d.config, link->texts, module, problem);
  if (result == CUDA_SUCCESS)
    result = tryProgram(module, problem);
  if (result != CUDA_SUCCESS)
    return fail(*link, result, problem);
  const int target = link->options.target() ? link->options.target() : d.config.computeCapability;
  const std::vector<std::byte> image = makeCubin(target, link->texts);
  link->cubin = MappedBytes(image);
  describeEntries(module, link->options);
  link->options.finish();
  *cubin = link->cubin.data();
  if (bytes)
    *bytes = image.size();
  return CUDA_SUCCESS;
}

} // namespace

extern "C" {

CUresult cuLinkCreate_v2(unsigned count, CUjit_option *options, void **values, CUlinkState *state) {
  const auto given = [&](CUjit_option wanted) { return givenOption(count, options, values, wanted); };
  return apiCall({"cuLinkCreate",
                  NeedsContext,
                  {{"options", count},
                   {"debug_info", given(CU_JIT_GENERATE_DEBUG_INFO)},
                   {"line_info", given(CU_JIT_GENERATE_LINE_INFO)}}},
                 [&](Driver &d) {
                   JitOptions read(count, options, values);
                   if (!state || !read.problem().empty())
                     return d.violate(Rule::InvalidArgument,
                                      "no place for the link, or wrong options: " + read.problem(),
                                      CUDA_ERROR_INVALID_VALUE);
                   const std::shared_ptr<Link> made = d.make<Link>(d.currentContext());
                   made->options = std::move(read);
                   *state = reinterpret_cast<CUlinkState>(made->handle);
                   return CUDA_SUCCESS;
                 });
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t bytes, const char *name, unsigned,
                          CUjit_option *, void **) {
  return apiCall({"cuLinkAddData", NeedsContext, {{"state", state}, {"type", type}, {"bytes", bytes}}}, [&](Driver &d) {
    if (!data || !bytes)
      return d.violate(Rule::InvalidArgument, "no data", CUDA_ERROR_INVALID_VALUE);
    return add(d, state, {type, std::string(static_cast<const char *>(data), bytes), name ? name : "<input>"});
  });
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path, unsigned, CUjit_option *, void **) {
  return apiCall({"cuLinkAddFile", NeedsContext, {{"state", state}, {"type", type}}}, [&](Driver &d) {
    std::ifstream file(path, std::ios::binary);
    if (!file)
      return CUDA_ERROR_FILE_NOT_FOUND;
    return add(d, state, {type, std::string{std::istreambuf_iterator<char>(file), {}}, path});
  });
}

CUresult cuLinkComplete(CUlinkState state, void **cubin, size_t *bytes) {
  return apiCall({"cuLinkComplete", NeedsContext, {{"state", state}}}, [&](Driver &d) {
    if (!cubin)
      return d.violate(Rule::InvalidArgument, "no place for the cubin", CUDA_ERROR_INVALID_VALUE);
    return complete(d, state, cubin, bytes);
  });
}

CUresult cuLinkDestroy(CUlinkState state) {
  return apiCall({"cuLinkDestroy", NeedsContext | EndsSomething, {{"state", state}}}, [&](Driver &d) {
    const std::shared_ptr<Link> found = d.find<Link>(state, Kind::Link, true);
    if (!found)
      return CUDA_ERROR_INVALID_HANDLE;
    found->cubin = {};
    d.end(*found);
    return CUDA_SUCCESS;
  });
}

} // extern "C"
