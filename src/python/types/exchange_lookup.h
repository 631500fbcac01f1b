// Exchange tables of DLPack's C exchange API, as class attributes.
#pragma once

#include "border/dlpack_abi.h"

#include <Python.h>

namespace treadle::python {

inline constexpr const char *exchangeCapsule = "dlpack_exchange_api";

/// The table of a class, if it has one of a supported version; else null, perhaps with a Python error.
const dlpack::ExchangeTable *exchangeTableOf(PyTypeObject *type);
/// The same, cached: a few ns for known classes.
const dlpack::ExchangeTable *knownExchangeTableOf(PyTypeObject *type);

} // namespace treadle::python
