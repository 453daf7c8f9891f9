// Leaves from deep within, with objects open and memory of its own registered.
#include <infiniband/verbs.h>

#include <cstdlib>
#include <string>

namespace {

char buffer[10'000];

struct AtEnd {
  ~AtEnd() { setenv("RAILYARD_TEST_STATIC", "destroyed", 1); }
} at_end;

struct Automatic {
  ~Automatic() { setenv("RAILYARD_TEST_AUTOMATIC", "destroyed", 1); }
};

void leave(int status) {
  const Automatic automatic;
  std::atexit([] { setenv("RAILYARD_TEST_ATEXIT", "called", 1); });
  std::exit(status);
}

void go_deeper(const std::string& status) {
  const Automatic automatic;
  leave(std::stoi(status));
}

}  // namespace

int main(int argc, char** argv) {
  ibv_device** list = ibv_get_device_list(nullptr);
  ibv_context* context = ibv_open_device(list[0]);
  ibv_pd* pd = ibv_alloc_pd(context);
  if (ibv_reg_mr(pd, buffer, sizeof buffer, IBV_ACCESS_LOCAL_WRITE) == nullptr) return 99;
  go_deeper(argc > 1 ? argv[1] : "0");
}
