// What LeakSanitizer is told about others' memory.
#ifdef __SANITIZE_ADDRESS__

// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): the sanitizer's name
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  // SystemC's pool of timed notifications is never given back; it counts as leaked when all of a
  // block are in use while the test ends.
  return "leak:sc_core::sc_event_timed::allocate\n";
}

#endif
