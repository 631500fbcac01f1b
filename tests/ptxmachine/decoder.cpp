// Decoder: from statements with names to instructions with places.
#include "external_calls.h"
#include "fault.h"
#include "program.h"
#include "row.h"
#include "special_registers.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace ptxmachine {

namespace {
constexpr size_t gapBytes = 16; ///< between shared and local variables: an overrun does not reach the next one

size_t roundUp(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

size_t place(std::vector<Place> &places, const Variable &variable, size_t at, size_t gap) {
  at = roundUp(at, variable.alignment);
  places.push_back({variable.name, at, variable.bytes, variable.alignment});
  return at + variable.bytes + gap;
}
} // namespace

class Decoder {
public:
  Decoder(Program &program, const std::map<std::string, uint64_t> &addresses)
      : program(program), addresses(addresses) {}

  void decodeAll() {
    placeShared();
    placeConst();
    for (const Function &function : program.parsed->functions) {
      auto code = std::make_unique<Code>();
      code->function = &function;
      program.codes.push_back(std::move(code));
    }
    for (const auto &each : program.codes)
      if (each->function->body)
        decode(*each);
  }

private:
  void placeShared() {
    size_t at = 0;
    const auto placeAll = [&](const std::vector<Variable> &variables) {
      for (const Variable &variable : variables)
        if (variable.space == Space::Shared && variable.linkage != Linkage::Extern && variable.bytes)
          at = place(program.shared, variable, at, gapBytes);
    };
    placeAll(program.parsed->variables);
    for (const Function &function : program.parsed->functions)
      if (function.body)
        placeAll(function.body->variables);
    program.sharedSize = roundUp(at, 128);
  }

  /// No variable begins at 0.
  void placeConst() {
    constexpr uint64_t below = 256, reach = uint64_t{1} << 31;
    uint64_t first = ~uint64_t{0}, last = 0;
    for (const Variable &variable : program.parsed->variables)
      if (const auto found = addresses.find(variable.name);
          variable.space == Space::Const && found != addresses.end()) {
        first = std::min(first, found->second);
        last = std::max(last, found->second + variable.bytes);
      }
    if (last == 0)
      return;
    program.constWindow = first - below;
    if (last - program.constWindow > reach)
      throw LoadError(0, "the variables in const space lie too far apart");
  }

  void decode(Code &target) {
    code = &target;
    body = &*target.function->body;
    registers.clear();
    labels.clear();
    code->registers = {"_", "carry"};
    code->registerCount = 2;
    for (const RegisterName &name : body->registers) {
      registers[name.name] = code->registerCount++;
      code->registers.push_back(name.name);
    }
    for (const auto &[name, at] : body->labels)
      labels[name] = static_cast<uint32_t>(at);
    placeParameters();
    for (const Statement &each : body->statements)
      decode(each);
    code->instructions.push_back(returnInstruction());
  }

  void placeParameters() {
    size_t params = 0, locals = 0;
    for (const auto *list : {&code->function->results, &code->function->parameters})
      for (const Variable &variable : *list) {
        if (variable.isRegister)
          throw LoadError(0, "'" + code->function->name + "': parameters in registers are not known");
        params = place(code->params, variable, params, 0);
      }
    code->resultCount = code->function->results.size();
    code->parameterCount = code->function->parameters.size();
    for (const Variable &variable : body->variables) {
      if (variable.space == Space::Param)
        params = place(code->params, variable, params, 0);
      else if (variable.space == Space::Local)
        locals = place(code->locals, variable, locals, gapBytes);
    }
    code->paramBytes = params;
    code->localBytes = locals;
    if (std::any_of(body->statements.begin(), body->statements.end(),
                    [](const Statement &each) { return each.opcode.starts_with("alloca."); }))
      code->stackBytes = size_t{16} << 10;
    code->frameBytes = roundUp(locals + code->stackBytes + gapBytes, 64);
  }

  static Instruction returnInstruction() {
    static const std::string name = "ret";
    Instruction result;
    result.run = findRow(name).run;
    result.opcode = &name;
    return result;
  }

  [[noreturn]] void fail(const std::string &text) const {
    throw LoadError(statement->textLine, statement->opcode + ": " + text);
  }

  void decode(const Statement &each) {
    statement = &each;
    Instruction result;
    program.opcodes.push_back(std::make_unique<std::string>(each.opcode));
    result.opcode = program.opcodes.back().get();
    const FoundRow found = findRow(each.opcode);
    if (!found.row)
      fail("unknown instruction");
    spelling = &found.spelling;
    result.run = found.run;
    result.type = found.spelling.type();
    result.flags = found.row->flags ? found.row->flags(found.spelling) : 0;
    result.source = each.source;
    if (!each.guard.empty()) {
      result.hasGuard = true;
      result.isGuardNegated = each.isGuardNegated;
      result.guard = registerNamed(each.guard);
    }
    if (found.row->operands[0] == 'c')
      call(result);
    else
      operands(result, found.row->operands);
    code->instructions.push_back(result);
  }

  void operands(Instruction &result, std::string_view letters) {
    size_t at = 0;
    bool isMissing = letters.find('?') != letters.npos && letters.size() - 1 > statement->operands.size();
    for (size_t letter = 0; letter < letters.size(); ++letter) {
      if (letters[letter] == '?') {
        letter += isMissing ? 1 : 0;
        continue;
      }
      if (at == statement->operands.size())
        fail("needs more operands");
      operand(result, letters[letter], statement->operands[at++]);
    }
    if (at != statement->operands.size())
      fail("has more operands than it takes");
  }

  void operand(Instruction &result, char letter, const Operand &each) {
    switch (letter) {
    case 'r':
      return addResult(result, each);
    case 'R':
    case 'P':
      if (each.kind != Operand::Kind::Vector && each.kind != Operand::Kind::Pair)
        return addResult(result, each);
      for (const Operand &item : each.items)
        addResult(result, item);
      return;
    case 'V':
      if (each.kind != Operand::Kind::Vector)
        return addSource(result, each);
      for (const Operand &item : each.items)
        addSource(result, item);
      return;
    case 'v':
    case 'p':
      return addSource(result, each);
    case 'm':
      return address(result, each);
    case 'n':
      return secondAddress(result, each);
    case 'l':
      result.target = label(each.name);
      return;
    default:
      return targets(result, each);
    }
  }

  void addResult(Instruction &result, const Operand &each) {
    if (each.kind != Operand::Kind::Name || result.resultCount == 4)
      fail("a result must be a register");
    result.results[result.resultCount++] = each.name == "_" ? sinkRegister : registerNamed(each.name);
  }

  void addSource(Instruction &result, const Operand &each) {
    if (result.sourceCount == 6)
      fail("has more operands than are known");
    if (each.isNegated)
      result.negated |= static_cast<uint8_t>(1u << result.sourceCount);
    result.sources[result.sourceCount++] = value(result, each);
  }

  uint32_t registerNamed(const std::string &name) const {
    const auto found = registers.find(name);
    if (found == registers.end())
      fail("there is no register '" + name + "'");
    return found->second;
  }

  uint32_t label(const std::string &name) const {
    const auto found = labels.find(name);
    if (found == labels.end())
      fail("there is no label '" + name + "'");
    return found->second;
  }

  void targets(Instruction &result, const Operand &each) {
    for (const auto &[name, list] : body->branchTargets)
      if (name == each.name) {
        auto places = std::make_unique<std::vector<uint32_t>>();
        for (const std::string &target : list)
          places->push_back(label(target));
        result.targets = places.get();
        program.targetLists.push_back(std::move(places));
        return;
      }
    fail("there are no branch targets '" + each.name + "'");
  }

  Slot constant(uint64_t bits, uint32_t tag = 0) {
    const auto key = std::make_pair(bits, tag);
    if (const auto found = known.find(key); found != known.end())
      return {Slot::Base::Constant, found->second};
    Lanes lanes;
    std::fill(std::begin(lanes.at), std::end(lanes.at), bits);
    const auto index = static_cast<uint32_t>(program.pool.size());
    program.pool.push_back(lanes);
    program.poolTags.push_back(tag);
    known[key] = index;
    return {Slot::Base::Constant, index};
  }

  /// Floats are written as f32 (`0f`) or as f64, and take the type of the instruction.
  uint64_t floatBits(const Operand &each) const {
    const Type type = spelling->last();
    if (type.bits == 32 && !each.isSingle)
      return std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(each.bits)));
    if (type.bits == 64 && each.isSingle)
      return std::bit_cast<uint64_t>(static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(each.bits))));
    return each.bits;
  }

  Slot value(Instruction &result, const Operand &each) {
    if (each.kind == Operand::Kind::Integer)
      return constant(each.bits);
    if (each.kind == Operand::Kind::Float)
      return constant(floatBits(each));
    if (each.kind != Operand::Kind::Name)
      fail("an operand of this kind is not known here");
    if (const auto found = registers.find(each.name); found != registers.end())
      return {Slot::Base::Register, found->second};
    if (each.name == "WARP_SZ")
      return constant(warpSize);
    if (const auto special = specialRegister(each.name))
      return {Slot::Base::Special, *special};
    return symbol(result, each);
  }

  Slot symbol(Instruction &result, const Operand &each) {
    for (const Place &local : code->locals)
      if (local.name == each.name) {
        result.addressBase = AddressBase::LocalFrame;
        return constant(local.offset + static_cast<uint64_t>(each.offset));
      }
    for (const Place &param : code->params)
      if (param.name == each.name) {
        result.addressBase = code->function->isEntry ? AddressBase::ParamEntry : AddressBase::ParamFrame;
        return constant(param.offset + static_cast<uint64_t>(each.offset));
      }
    for (size_t at = 0; at < program.shared.size(); ++at)
      if (program.shared[at].name == each.name)
        return constant(program.shared[at].offset + static_cast<uint64_t>(each.offset),
                        sharedTags + static_cast<uint32_t>(at));
    for (const Variable &variable : program.parsed->variables)
      if (variable.name == each.name && variable.space == Space::Shared)
        return constant(program.sharedSize + static_cast<uint64_t>(each.offset),
                        sharedTags + static_cast<uint32_t>(program.shared.size()));
    if (const auto found = addresses.find(each.name); found != addresses.end())
      return constant(found->second - (isConst(each.name) ? program.constWindow : 0) +
                      static_cast<uint64_t>(each.offset));
    for (size_t at = 0; at < program.codes.size(); ++at)
      if (program.codes[at]->function->name == each.name)
        return constant(functionAddress(at));
    fail("there is no register or variable '" + each.name + "'");
  }

  bool isConst(const std::string &name) const {
    return std::any_of(program.parsed->variables.begin(), program.parsed->variables.end(),
                       [&](const Variable &each) { return each.name == name && each.space == Space::Const; });
  }

  static Space spaceOf(const Spelling &spelling) {
    constexpr std::pair<std::string_view, Space> spaces[] = {{"global", Space::Global},
                                                             {"const", Space::Const},
                                                             {"shared", Space::Shared},
                                                             {"shared::cta", Space::Shared},
                                                             {"shared::cluster", Space::Shared},
                                                             {"local", Space::Local},
                                                             {"param", Space::Param},
                                                             {"param::entry", Space::Param},
                                                             {"param::func", Space::Param}};
    for (const auto &[name, space] : spaces)
      if (spelling.has(name))
        return space;
    return Space::Generic;
  }

  void address(Instruction &result, const Operand &each) {
    if (each.kind != Operand::Kind::Address || result.sourceCount)
      fail("needs an address in brackets");
    result.space = spaceOf(*spelling);
    Operand inner = each;
    inner.kind = each.name.empty() ? Operand::Kind::Integer : Operand::Kind::Name;
    const bool isRegister = registers.contains(each.name);
    if (isRegister || each.name.empty())
      result.offset = isRegister ? each.offset : 0;
    addSource(result, inner);
    if (isRegister)
      result.addressBase = AddressBase::Slot;
  }

  void secondAddress(Instruction &result, const Operand &each) {
    if (each.kind != Operand::Kind::Address || !registers.contains(each.name))
      fail("needs a second address in brackets, of a register");
    result.secondOffset = each.offset;
    result.sources[result.sourceCount++] = {Slot::Base::Register, registerNamed(each.name)};
  }

  std::vector<Place> callPlaces(const Operand &list) const {
    std::vector<Place> result;
    for (const Operand &item : list.items) {
      const auto found =
          std::find_if(code->params.begin(), code->params.end(), [&](const Place &p) { return p.name == item.name; });
      if (found == code->params.end())
        fail("arguments must be .param variables, not '" + item.name + "'");
      result.push_back(*found);
    }
    return result;
  }

  /// `call (result), function, (arguments), prototype`; all but the function may be missing.
  void call(Instruction &result) {
    auto site = std::make_unique<CallSite>();
    size_t at = 0;
    const std::vector<Operand> &list = statement->operands;
    if (at < list.size() && list[at].kind == Operand::Kind::List)
      site->results = callPlaces(list[at++]);
    if (at == list.size())
      fail("needs a function");
    const Operand &callee = list[at++];
    if (at < list.size() && list[at].kind == Operand::Kind::List)
      site->arguments = callPlaces(list[at++]);
    if (registers.contains(callee.name)) {
      site->isIndirect = true;
      addSource(result, callee);
    } else {
      resolve(*site, callee.name);
    }
    result.call = site.get();
    program.sites.push_back(std::move(site));
  }

  void resolve(CallSite &site, const std::string &name) const {
    if ((site.external = findExternal(name)))
      return;
    if (const Code *callee = program.code(name); callee && callee->function->body)
      site.callee = callee;
    else
      fail("there is no function '" + name + "'");
  }

  Program &program;
  const std::map<std::string, uint64_t> &addresses;
  Code *code = nullptr;
  const Body *body = nullptr;
  const Statement *statement = nullptr;
  const Spelling *spelling = nullptr;
  std::unordered_map<std::string, uint32_t> registers, labels;
  std::map<std::pair<uint64_t, uint32_t>, uint32_t> known;
};

Program::Program(std::shared_ptr<const Module> module, const std::map<std::string, uint64_t> &addresses)
    : parsed(std::move(module)) {
  Decoder(*this, addresses).decodeAll();
}
Program::~Program() = default;

const Code *Program::code(std::string_view name) const {
  for (const auto &each : codes)
    if (each->function->name == name)
      return each.get();
  return nullptr;
}

const Code *Program::codeAt(uint64_t address) const {
  const uint64_t index = (address - functionWindow) / 16;
  return address >= functionWindow && index < codes.size() && codes[index]->function->body ? codes[index].get()
                                                                                           : nullptr;
}

} // namespace ptxmachine
