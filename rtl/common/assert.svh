// One macro for simulation and for proofs: `pre` implies `post`, both of the same cycle, out of
// reset. Under SYNTHESIS nothing is left. Verilator checks it at every clock and reports the
// hierarchical name; yosys, which knows no concurrent assertion, gets an immediate one.
//
// Expressions may use $past() only in *_props.svh, which only proofs include.
`ifndef RY_ASSERT_SVH
`define RY_ASSERT_SVH

`ifdef SYNTHESIS
`define RY_ASSERT(name, pre, post)
`else
`ifdef YOSYS
`define RY_ASSERT(name, pre, post) \
  always @(posedge clk_i) if (rst_ni) begin name: assert (!(pre) || (post)); end
`else
`define RY_ASSERT(name, pre, post) \
  name: assert property (@(posedge clk_i) disable iff (!rst_ni) (pre) |-> (post)) \
    else $error("%m");
`endif
`endif

// For proofs only: what is taken to hold, and what must be reachable.
`ifdef YOSYS
`define RY_ASSUME(name, expr) \
  always @(posedge clk_i) if (rst_ni) begin name: assume (expr); end
`define RY_COVER(name, expr) \
  always @(posedge clk_i) if (rst_ni) begin name: cover (expr); end
`endif

`endif
