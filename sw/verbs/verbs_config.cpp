#include "sw/verbs/verbs_config.h"

namespace railyard::verbs {

void VerbsConfig::declare(Parameters& p) {
  p.add("registration", registration)
      .max(kSecond)
      .doc("What registering a memory region costs beside its command and its pages (assumed)");
  p.add("registration_page", registration_page)
      .max(kMillisecond)
      .doc("What pinning a page of 4 KiB costs when a region is registered (assumed)");
  p.add("empty_poll", empty_poll)
      .max(kMillisecond)
      .doc(
          "So long at most does a poll of a queue wait that the polls before it found empty: it "
          "returns sooner if an entry comes. 0: it looks once");
  p.choice("blue_field", blue_field,
           {{"never", BlueField::kNever},
            {"inline", BlueField::kInline},
            {"always", BlueField::kAlways}})
      .doc(
          "A WQE that is posted alone is written to the device whole, if it fits: never, if its "
          "payload is inline, or always. rdma-core has the last two: MLX5_POST_SEND_PREFER_BF=0 "
          "and its default");
  p.add("completion_vectors", completion_vectors).range(1, 32).doc("Event queues for completions");
}

}  // namespace railyard::verbs
