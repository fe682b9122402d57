// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading what was printed gives the same program: for every kernel of the emitter's lit tests and
// for random kernels.
#include "Fingerprint.h"
#include "RandomKernel.h"

#include "emit/Emit.h"
#include "frontend/triton/TritonFrontend.h"
#include "host/HostOps.h"
#include "tile/Instance.h"
#include "tile/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace nereid::emit {
namespace {

class RoundTrip : public testing::Test {
protected:
  RoundTrip() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect, math::MathDialect, scf::SCFDialect,
                        sym::SymDialect, tile::TileDialect, host::HostDialect>();
  }

  static std::string spellType(Type type) {
    if (auto pointer = dyn_cast<tile::PtrType>(type))
      return "*" + spellType(pointer.getPointee());
    if (type.isBF16())
      return "bf16";
    if (isa<FloatType>(type))
      return "fp" + std::to_string(type.getIntOrFloatBitWidth());
    return (type.isUnsignedInteger() ? "u" : "i") + std::to_string(type.getIntOrFloatBitWidth());
  }

  /// The values of the meta-parameters: those of the first configuration, and for the others the
  /// numbers that stand in the kernel.
  static std::map<std::string, std::string> getMeta(func::FuncOp kernel) {
    std::map<std::string, std::string> values;
    ConfigValues(kernel, values);
    auto note = [&](Type type) {
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        if (auto dims = dyn_cast_if_present<tile::DimsAttr>(tensor.getEncoding()))
          for (auto [name, size] : llvm::zip_equal(dims.getNames(), tensor.getShape()))
            values.try_emplace(name.str(), std::to_string(size));
    };
    kernel.walk([&](Operation *op) {
      for (Type type : op->getResultTypes())
        note(type);
    });
    values.erase("");
    return values;
  }

  static void ConfigValues(func::FuncOp kernel, std::map<std::string, std::string> &values) {
    for (NamedAttribute value : tile::getConfig(kernel, {}).getValues())
      values[value.getName().str()] = std::to_string(cast<IntegerAttr>(value.getValue()).getInt());
  }

  /// Folds constants, which the front end spells with casts.
  static void canonicalize(ModuleOp module) {
    PassManager manager(module.getContext());
    manager.addPass(createCanonicalizerPass());
    ASSERT_TRUE(succeeded(manager.run(module)));
  }

  void check(ModuleOp module, llvm::StringRef what) {
    ASSERT_TRUE(succeeded(verify(module))) << what.str();
    canonicalize(module);
    std::string text;
    llvm::raw_string_ostream stream(text);
    ASSERT_TRUE(succeeded(emitTriton(module, stream))) << what.str();
    Diagnostics diagnostics;
    auto source = std::make_shared<SourceFile>("emitted.py", text);
    auto file = triton::TritonFile::read(source, diagnostics);
    ASSERT_TRUE(file) << what.str() << show(diagnostics) << text;
    // A draw that neighbours share is spelled by a function of its counter's words.
    auto isShared = [](tile::RandomOp op) {
      return tile::stringifyRandomKind(op.getKind()).starts_with("shared");
    };
    for (auto kernel : module.getOps<func::FuncOp>())
      if (kernel->hasAttr(tile::kernelAttrName) &&
          llvm::none_of(kernel.getOps<tile::RandomOp>(), isShared))
        checkKernel(*file, kernel, what, text);
  }

  void checkKernel(triton::TritonFile &file, func::FuncOp kernel, llvm::StringRef what,
                   const std::string &text) {
    triton::KernelRequest request;
    request.kernel = kernel.getSymName().str();
    for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
      request.signature[tile::getArgumentName(kernel, i)] = spellType(kernel.getArgumentTypes()[i]);
    request.constexprs = getMeta(kernel);
    Diagnostics diagnostics;
    auto read = file.importKernel(context, request, diagnostics);
    ASSERT_TRUE(succeeded(read)) << what.str() << show(diagnostics) << text;
    canonicalize(**read);
    auto again = *(*read)->getOps<func::FuncOp>().begin();
    EXPECT_EQ(getFingerprint(kernel), getFingerprint(again)) << what.str() << "\n"
                                                             << text << "\nprinted from:\n"
                                                             << show(kernel) << "\nread as:\n"
                                                             << show(again);
  }

  static std::string show(const Diagnostics &diagnostics) {
    std::string text = "\n";
    llvm::raw_string_ostream stream(text);
    diagnostics.print(stream, false);
    return text;
  }

  static std::string show(Operation *op) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    op->print(stream);
    return text;
  }

  MLIRContext context;
};

TEST_F(RoundTrip, LitTests) {
  std::error_code error;
  unsigned count = 0;
  for (llvm::sys::fs::directory_iterator it(NEREID_TEST_INPUTS, error), end; it != end && !error;
       it.increment(error)) {
    if (llvm::sys::path::extension(it->path()) != ".mlir" ||
        llvm::sys::path::filename(it->path()).starts_with("invalid"))
      continue;
    auto module = parseSourceFile<ModuleOp>(it->path(), &context);
    ASSERT_TRUE(module) << it->path();
    check(*module, it->path());
    ++count;
  }
  EXPECT_GE(count, 8u);
}

TEST_F(RoundTrip, RandomKernels) {
  for (unsigned seed = 0; seed < 600 && !HasFailure(); ++seed) {
    OwningOpRef<ModuleOp> module = RandomKernel(context, seed).build();
    check(*module, "seed " + std::to_string(seed));
  }
}

// The same module twice, in contexts of their own: byte for byte the same text.
TEST_F(RoundTrip, Deterministic) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::string texts[2];
    for (std::string &text : texts) {
      MLIRContext other;
      other.appendDialectRegistry(context.getDialectRegistry());
      other.loadDialect<arith::ArithDialect, func::FuncDialect, math::MathDialect, scf::SCFDialect,
                        sym::SymDialect, tile::TileDialect, host::HostDialect>();
      OwningOpRef<ModuleOp> module = RandomKernel(other, seed).build();
      llvm::raw_string_ostream stream(text);
      ASSERT_TRUE(succeeded(emitTriton(*module, stream)));
    }
    EXPECT_EQ(texts[0], texts[1]);
  }
}

} // namespace
} // namespace nereid::emit
