// One macro for simulation and for proofs: `pre` implies `post`, both of the same cycle, out of
// reset. Under SYNTHESIS nothing is left. Verilator checks it at every clock and reports the
// hierarchical name. It is not a concurrent assertion: for those Verilator samples values before
// inputs settle, at every evaluation. yosys gets an instance (formal.sv).
//
// No $past() in them: what a property needs of earlier cycles, *_props.svh keeps in registers.
`ifndef RY_ASSERT_SVH
`define RY_ASSERT_SVH

`ifdef SYNTHESIS
`define RY_ASSERT(name, pre, post)
`elsif YOSYS
`define RY_ASSERT(name, pre, post) \
  ry_assert name (.rst_ni(rst_ni), .expr_i(!(pre) || (post)));
`else
`define RY_ASSERT(name, pre, post) \
  always_ff @(posedge clk_i) begin \
    /*verilator coverage_block_off*/ \
    if (rst_ni) name: assert (!(pre) || (post)) else $error("%m"); \
  end
`endif

// For proofs only: what is taken to hold, and what must be reachable.
`ifdef YOSYS
`define RY_ASSUME(name, expr) \
  ry_assume name (.rst_ni(rst_ni), .expr_i(expr));
`define RY_COVER(name, expr) \
  ry_cover name (.rst_ni(rst_ni), .expr_i(expr));
`endif

`endif
