// LaneReports: what a kernel tells the host: errors and printed text.
#pragma once

#include "border/fault.h"
#include "codegen/lanes.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace treadle::codegen {

/// What a kernel tells the host.
class LaneReports {
public:
  /// Debug mode's checks: ends the thread with an error where `failed` (i1, scalar or vector) holds.
  virtual void emitCheck(const Leaf &failed, Fault fault, const FaultPlace &place) = 0;
  /// Image::raises so far; grows while code is emitted.
  virtual std::vector<RaisedError> &raised() = 0;
  /// Image::sources so far, likewise.
  virtual std::vector<FunctionSource> &sources() = 0;

  /// A part of what is printed: text, or a value of 64 bits (Bool: an i1), with the text as C's directive if there is
  /// one.
  struct PrintPiece {
    enum class Kind : uint8_t { Text, Signed, Unsigned, Float, Bool } kind;
    std::string text;
    Leaf value;
  };
  virtual void print(llvm::ArrayRef<PrintPiece> pieces) = 0;

protected:
  ~LaneReports() = default;
};

} // namespace treadle::codegen
