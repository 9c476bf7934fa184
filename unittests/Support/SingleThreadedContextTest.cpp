//===- SingleThreadedContextTest.cpp - contexts without locks -------------===//

#include "tritium/Support/SingleThreadedContext.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include "gtest/gtest.h"

#include <dlfcn.h>
#include <pthread.h>

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

#ifndef HAS_SANITIZER

static thread_local unsigned locked = 0;

/// Takes the place of the C library's for the whole program.
extern "C" int pthread_mutex_lock(pthread_mutex_t *mutex) {
  static auto *real =
      reinterpret_cast<int (*)(pthread_mutex_t *)>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  ++locked;
  return real(mutex);
}

namespace {

unsigned locksOfNewTypes(mlir::MLIRContext &context) {
  unsigned before = locked;
  auto type = mlir::IntegerType::get(&context, 1234);
  mlir::IntegerAttr::get(type, 5678);
  mlir::RankedTensorType::get({3, 5, 7}, type);
  mlir::getAffineConstantExpr(91, &context);
  return locked - before;
}

TEST(SingleThreadedContext, TakesNoLocks) {
  tritium::SingleThreadedContext context;
  EXPECT_EQ(locksOfNewTypes(context), 0u);
}

// Else the test above says nothing, and the class is not needed.
TEST(SingleThreadedContext, OthersTakeSome) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  EXPECT_NE(locksOfNewTypes(context), 0u);
}

} // namespace

#endif // HAS_SANITIZER
