// Tests in which an exception leaves a program's stack. SystemC does not tell AddressSanitizer when
// it changes stacks: after a throw on a thread's it finds errors that are none.
#pragma once

namespace railyard::support {

#ifdef __SANITIZE_ADDRESS__
constexpr bool kThrowsAcrossStacks = false;
#else
constexpr bool kThrowsAcrossStacks = true;
#endif

}  // namespace railyard::support
