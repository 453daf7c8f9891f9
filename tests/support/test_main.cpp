#include <gmock/gmock.h>

#include <systemc>

int sc_main(int argc, char** argv) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
