// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/Worker.h"

namespace nereid::lsp {

Worker::Worker() : thread([this] { run(); }) {}

Worker::~Worker() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isOver = true;
  }
  changed.notify_all();
  thread.join();
}

void Worker::add(llvm::unique_function<void()> job) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    jobs.push_back(std::move(job));
  }
  changed.notify_all();
}

void Worker::run() {
  for (;;) {
    llvm::unique_function<void()> job;
    {
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [this] { return isOver || !jobs.empty(); });
      if (jobs.empty())
        return;
      job = std::move(jobs.front());
      jobs.pop_front();
    }
    job();
  }
}

} // namespace nereid::lsp
