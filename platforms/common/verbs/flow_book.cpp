#include "platforms/common/verbs/flow_book.h"

namespace railyard::rdma {

void RequestsConfig::declare(Parameters& p) {
  p.add("depth", depth)
      .range(1, 1U << 14)
      .doc("Work requests of a flow that are posted and not complete, at most");
  p.add("timeout", timeout)
      .max(31)
      .doc("The queue pairs' local ACK timeout, 4.096us * 2^timeout; 0: they wait for ever");
}

}  // namespace railyard::rdma
