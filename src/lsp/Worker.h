// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One thread that does jobs in the order in which they came, so that the server goes on reading
// while a file is audited.
#pragma once

#include "llvm/ADT/FunctionExtras.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace nereid::lsp {

class Worker {
public:
  Worker();
  /// Waits for the jobs that are there.
  ~Worker();
  void add(llvm::unique_function<void()> job);

private:
  void run();

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<llvm::unique_function<void()>> jobs;
  bool isOver = false;
  std::thread thread;
};

} // namespace nereid::lsp
