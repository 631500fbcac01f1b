// print(): the pieces of text and values that both lane models print.
#include "border/print_directive.h"
#include "codegen/emitter.h"
#include "support/error.h"

using namespace llvm;

namespace treadle::codegen {

namespace {

using Kind = LaneModel::PrintPiece::Kind;

/// Items are evaluated in order, each before its text is appended. Neighbouring texts become one piece, as each piece
/// is work at run time.
class PrintList {
public:
  PrintList(Emitter &e) : e(e) {}

  void add(std::string text) {
    if (!pieces.empty() && pieces.back().kind == Kind::Text)
      pieces.back().text += text;
    else
      pieces.push_back({Kind::Text, std::move(text), {}});
  }

  /// A complex number as Python shows it, with the digits of a float.
  void add(const typed::Expr &item) {
    const Type *type = item.type;
    if (type->is(TypeKind::String))
      return add(std::string(type->text()));
    if (type->is(Series::Format))
      return addFormat(type->text(), e.emit(item), type->items());
    const Lanes value = e.emit(item);
    if (!type->isComplex())
      return add(type, value[0]);
    add("(");
    add(type->element(), value[0]);
    add(type->element(), value[1]);
    pieces.back().text = "%+f";
    add("j)");
  }

  std::vector<LaneModel::PrintPiece> pieces;

private:
  /// Text with directives, one per value; "%%" is a percent sign. Inference makes the text from an f-string, whose
  /// values follow in the same order.
  void addFormat(std::string_view text, const Lanes &values, std::span<const Type *const> types) {
    size_t next = 0;
    for (size_t at = 0; at < text.size();) {
      const size_t percent = text.find('%', at);
      if (percent != at)
        add(std::string(text.substr(at, percent - at)));
      if (percent == text.npos)
        return;
      const std::string_view directive = text.substr(percent, printing::directiveLength(text.substr(percent)));
      at = percent + directive.size();
      if (directive == "%%") {
        add("%");
        continue;
      }
      add(types[next], values[next]);
      pieces.back().text = directive;
      ++next;
    }
  }

  /// Values have 64 bits, as LaneReports::PrintPiece has them.
  void add(const Type *type, const Leaf &leaf) {
    if (type->isBool())
      return pieces.push_back({Kind::Bool, {}, leaf});
    const Type *wide = type->isFloat() ? types::float64() : type->isSigned() ? types::int64() : types::uint64();
    pieces.push_back({type->isFloat()    ? Kind::Float
                      : type->isSigned() ? Kind::Signed
                                         : Kind::Unsigned,
                      {},
                      e.convertLeaf(leaf, type, wide, typed::Interval())});
  }

  Emitter &e;
};

} // namespace

/// One call of the model for the whole line, so that the models can keep lines of different threads apart.
void Emitter::emitPrint(const typed::Print &print) {
  PrintList list(*this);
  bool isFirst = true;
  for (const typed::Expr *item : print.items) {
    if (!isFirst)
      list.add(" ");
    isFirst = false;
    list.add(*item);
  }
  list.add("\n");
  model.print(list.pieces);
}

} // namespace treadle::codegen
