// Exchange tables of DLPack's C exchange API, as classes have them.
#pragma once

#include "border/dlpack_abi.h"

#include <Python.h>

namespace treadle::python {

inline constexpr const char *exchangeCapsule = "dlpack_exchange_api";

/// The table of a class that has one of a version that can be read; else null, maybe with a Python error.
const dlpack::ExchangeTable *exchangeTableOf(PyTypeObject *type);
/// The same: a look-up of a few ns for classes seen before.
const dlpack::ExchangeTable *knownExchangeTableOf(PyTypeObject *type);

} // namespace treadle::python
