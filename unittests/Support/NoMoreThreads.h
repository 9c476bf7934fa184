//===- NoMoreThreads.h - a system that has no more threads ------*- C++ -*-===//

#ifndef TRITIUM_UNITTESTS_SUPPORT_NOMORETHREADS_H
#define TRITIUM_UNITTESTS_SUPPORT_NOMORETHREADS_H

#include <cstddef>
#include <pthread.h>

namespace tritium::testing {

/// While it lives no thread can be started: there is no memory for its stack.
class NoMoreThreads {
public:
  NoMoreThreads() {
    pthread_getattr_default_np(&usual);
    pthread_attr_t vast;
    pthread_attr_init(&vast);
    pthread_attr_setstacksize(&vast, size_t(1) << 50);
    pthread_setattr_default_np(&vast);
    pthread_attr_destroy(&vast);
  }
  ~NoMoreThreads() {
    pthread_setattr_default_np(&usual);
    pthread_attr_destroy(&usual);
  }
  NoMoreThreads(const NoMoreThreads &) = delete;
  NoMoreThreads &operator=(const NoMoreThreads &) = delete;

private:
  pthread_attr_t usual;
};

} // namespace tritium::testing

#endif // TRITIUM_UNITTESTS_SUPPORT_NOMORETHREADS_H
