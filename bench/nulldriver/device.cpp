// One device with the attributes of an H100, and names of results.
#include "cuda_driver_api.h"

#include <cstdio>
#include <cstring>

namespace {

struct Attribute {
  unsigned number;
  int value;
};

constexpr Attribute attributes[] = {
    {1, 1024},    {2, 1024},   {3, 1024},   {4, 64},          {5, 2147483647}, {6, 65535},     {7, 65535},
    {8, 49152},   {9, 65536},  {10, 32},    {11, 2147483647}, {12, 65536},     {13, 1980000},  {16, 132},
    {19, 1},      {31, 1},     {33, 1},     {36, 2619000},    {37, 5120},      {38, 52428800}, {39, 2048},
    {40, 3},      {41, 1},     {75, 9},     {76, 0},          {78, 1},         {79, 1},        {80, 1},
    {81, 233472}, {82, 65536}, {83, 1},     {89, 1},          {91, 1},         {95, 1},        {97, 232448},
    {99, 1},      {106, 32},   {111, 1024}, {115, 1},         {120, 1},        {125, 1},
};

} // namespace

extern "C" {

CUresult cuInit(unsigned) { return CUDA_SUCCESS; }

CUresult cuDriverGetVersion(int *version) {
  *version = 13050;
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult, const char **name) {
  *name = "CUDA_ERROR_OF_THE_NULL_DRIVER";
  return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult, const char **text) {
  *text = "the driver that does nothing refuses";
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGetCount(int *count) {
  *count = 1;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice) {
  std::snprintf(name, static_cast<size_t>(length), "a driver that does nothing");
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice) {
  *value = 0;
  for (const Attribute &known : attributes)
    if (known.number == static_cast<unsigned>(attribute))
      *value = known.value;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice) {
  std::memset(uuid->bytes, 7, sizeof uuid->bytes);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device) { return cuDeviceGetUuid_v2(uuid, device); }

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice) {
  *bytes = size_t{64} << 30;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *text, int length, CUdevice) {
  std::snprintf(text, static_cast<size_t>(length), "0000:01:00.0");
  return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice, CUdevice) {
  *can = 0;
  return CUDA_SUCCESS;
}

/// Tells that this is no driver.
__attribute__((visibility("default"))) extern const int nullCudaMark;
const int nullCudaMark = 1;

CUresult cuGetExportTable(const void **table, const CUuuid *) {
  *table = nullptr;
  return CUDA_ERROR_NOT_FOUND;
}

} // extern "C"
