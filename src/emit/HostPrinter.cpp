// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit/HostPrinter.h"
#include "emit/CarriedNames.h"

#include "emit/HostGradient.h"
#include "emit/KernelTraits.h"
#include "emit/Spelling.h"
#include "support/SnakeCase.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace nereid::emit {

void HostPrinter::refuse(Operation *op, const llvm::Twine &message) {
  op->emitOpError() << message.str();
  failed = true;
}

std::string getArgumentName(func::FuncOp program, unsigned place) {
  if (auto name = program.getArgAttrOfType<StringAttr>(place, host::nameAttrName))
    return name.getValue().str();
  return "arg" + std::to_string(place);
}

static std::string getShapeText(host::TensorType type) {
  std::string dtype = getTorchDtype(type.getElementType());
  std::string text = llvm::StringRef(dtype).drop_front(sizeof("torch.") - 1).str() + "[";
  for (auto [place, size] : llvm::enumerate(type.getSizes()))
    text += (place ? ", " : "") + size.str();
  return text + "]";
}

std::string getTypeText(Type type) {
  if (auto tensor = dyn_cast<host::TensorType>(type))
    return getShapeText(tensor);
  return type.isF64() ? "float" : type.isInteger(1) ? "bool" : "int";
}

std::string getComplexText(llvm::StringRef parts) {
  parts.consume_back("2]");
  std::string text = parts.rtrim(", ").str() + "]";
  bool isWide = parts.starts_with("float64");
  return (isWide ? "complex128" : "complex64") + text.substr(llvm::StringRef("float32").size());
}

std::string getPlace(Location location) {
  if (auto file = location->findInstanceOf<FileLineColLoc>())
    return llvm::sys::path::filename(file.getFilename().getValue()).str() + ":" +
           std::to_string(file.getLine());
  return "";
}

std::string getPrivateName(func::FuncOp program) {
  // What an emitted file calls its own functions (the *Text.h files, companion/*.py).
  static constexpr llvm::StringLiteral taken =
      "aligned are_alike ask bench blocks call call_plain call_with_gradient cdiv cell "
      "check_apart check_constant check_contiguous check_known check_modules "
      "check_number check_numbers check_shape check_size check_state check_stride "
      "check_table check_tensor check_tensors check_written choose code code_of compare "
      "compared_with "
      "convolution_precision copied copy_if_shared copy_state draw draw_seed "
      "dropout_scale empty_like factor_dtype field find_original flat get_errors get_needs "
      "get_parts get_tensors get_usual give graph graph_lock graphs has_code init inputs "
      "is_inexact is_input is_known is_made_by is_of_other is_other is_repeated is_set kind_of "
      "known_paths "
      "lend_library lie_apart like load made_in_float64 main make_pair maker "
      "mend_bfloat16 mend_interpreter module_at moved_to name_of nest nested "
      "next_power_of_2 no_gradient note_writes of_used_outputs once_differentiable "
      "part_at paths pick plain prune randomize reach refuse_gradients "
      "refuse_transforms register replay require restored rounded_to_tf32 run shares takes "
      "tensors_of to_shares to_wide torch_gradients torch_results transform turns validate "
      "widen write";
  std::string name = toSnakeCase(program.getSymName());
  bool isTaken = llvm::is_contained(llvm::split(taken, ' '), llvm::StringRef(name));
  return "_" + name + (isTaken ? "_program" : "");
}

/// A type as PyTorch's schemas know it.
static std::string getAnnotation(Type type) {
  return isa<host::TensorType>(type) ? "torch.Tensor" : getTypeText(type);
}

static std::string getResultAnnotation(func::FuncOp program, const FileParts &parts) {
  size_t count = program.getNumResults() + getReturnedState(program, parts).size();
  if (count < 2)
    return count == 0 ? "None" : "torch.Tensor";
  if (count > 4)
    return "tuple[(torch.Tensor,) * " + std::to_string(count) + "]";
  std::string list;
  for (size_t place = 0; place < count; ++place)
    list += place ? ", torch.Tensor" : "torch.Tensor";
  return "tuple[" + list + "]";
}

void HostPrinter::printReturn(Operation *op) {
  llvm::SmallVector<Code> results;
  for (Value value : op->getOperands())
    results.push_back(get(value));
  if (!getReturnedState(program, parts).empty())
    for (host::AssignOp assign : getAssigns(program))
      results.push_back(get(assign.getValue()));
  if (results.size() == 1)
    return writer.statement("return ", results[0]);
  std::string list;
  for (const Code &result : results)
    list += (list.empty() ? "" : ", ") + result.str();
  if (results.empty())
    return;
  if (writer.getIndent() + list.size() + 7 <= lineWidth)
    return writer.line("return " + list);
  writer.statement("return ", Code::tuple(results));
}

/// Passes the arguments on to the program whose condition holds.
void HostPrinter::printDispatch(host::DispatchOp op) {
  llvm::SmallVector<Code> arguments;
  for (BlockArgument argument : program.getArguments())
    arguments.push_back(values[argument]);
  auto spellGroup = [](const ArgumentGroup &group) { return Code::text(group.variable); };
  for (auto [place, name] : llvm::enumerate(op.getPrograms())) {
    auto chosen =
        SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, cast<FlatSymbolRefAttr>(name));
    bool isLast = place + 1 == op.getPrograms().size();
    if (!isLast) {
      printCondition(getPred(cast<sym::PredAttr>(op.getConditions()[place]).getPred()));
      writer.indent();
    }
    printRefusal(chosen, parts, writer);
    Code call = spellCall(chosen, arguments, spellGroup, parts);
    Names inner = names;
    call = printStateWrite(chosen, call, "state", inner, parts, writer);
    if (hasOwnResults(program))
      printResults(chosen, call, arguments, parts, writer);
    else if (call)
      writer.statement("return ", call);
    if (!isLast)
      writer.dedent();
  }
}

std::vector<std::string> HostPrinter::getParameters(bool hasTypes) {
  std::vector<std::string> parameters;
  auto add = [&](std::string name, std::string type) {
    parameters.push_back(hasTypes ? name + ": " + type : name);
  };
  for (auto [place, argument] : llvm::enumerate(program.getArguments()))
    if (!isUndrawn(program, place) && !isGrouped(argument))
      add(values[argument].str(), isShapeOnly(place) ? "list[int]"
                                  : isSeed(program, place) && isDispatch(program)
                                      ? "torch.Tensor | int | None"
                                      : getAnnotation(argument.getType()));
  for (const ArgumentGroup &group : groups)
    add(group.parameter, "list[" + group.element + "]");
  llvm::append_range(parameters, getCarriedNames(program));
  if (needs && needs->areSelective() && !savesIfAsked())
    add("needs", "list[bool]");
  return parameters;
}

/// `def name(x: torch.Tensor, ...) -> ...:`.
void HostPrinter::printDefinition(llvm::StringRef name) {
  std::vector<std::string> parameters = getParameters(true);
  if (savesIfAsked() && name == getPrivateName(program))
    parameters.insert(parameters.end(), {"*", "saves: bool = True"});
  std::string annotation =
      hasOwnResults(program) ? ":" : " -> " + getResultAnnotation(program, parts) + ":";
  out.definition(("def " + name).str(), parameters, annotation);
}

/// What a caller may change from call to call is asked once for all launches.
void HostPrinter::printPrecision() {
  bool isTaken = false;
  program.walk([&](host::LaunchOp launch) {
    isTaken |= takesPrecision(
        SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(launch, launch.getKernelAttr()));
  });
  if (!isTaken)
    return;
  parts.usesPrecision = true;
  precision = names.take("precision");
  writer.line(precision + " = _convolution_precision(" + deviceOwner + ")");
}

LogicalResult HostPrinter::print() {
  parts.usesTorch = true;
  nameArguments();
  bindSymbols();
  if (func::FuncOp saving = getSharedSaving(program)) {
    printShared(saving);
    return failure(failed);
  }
  writer.indent();
  // Kernels are launched on the current device; CPU tensors (Triton's interpreter) change nothing.
  bool launches = false, calls = false;
  program.walk([&](host::LaunchOp) { launches = true; });
  program.walk([&](host::CallOp) { calls = true; });
  program.walk([&](host::ApplyOp) { launches = true; });
  if ((launches || calls) && !deviceOwner.empty() && !isFunction()) {
    // What PyTorch computes here has the types that the program was read with.
    std::string casts = ", torch.autocast(" + deviceOwner + ".device.type, enabled=False)";
    writer.line("with torch.cuda.device_of(" + deviceOwner + ")" + (calls ? casts : "") + ":");
    writer.indent();
  }
  printPrecision();
  printBlock(program.getBody().front());
  printDefinition(getPrivateName(program));
  out.indent();
  if (isFunction()) {
    out.docstring("Launches the kernels. The arguments are checked, and row-major.");
    printSizes();
  } else {
    out.docstring("Checks the arguments and launches the kernels.");
    printChecks();
    printSizeChecks();
  }
  out.paste(writer);
  out.dedent();
  return failure(failed);
}

} // namespace nereid::emit
