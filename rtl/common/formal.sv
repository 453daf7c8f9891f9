// What RY_ASSERT, RY_ASSUME and RY_COVER are in proofs. Instances, since yosys 0.23 gives a labelled
// statement in a generate loop the same name in every turn, and refuses it; an instance has the name
// of its scope, which a failing proof then tells: g_prio[1].XonOnlyAfterXoff.holds.
module ry_assert (
    input logic rst_ni,
    input logic expr_i
);
  always_comb if (rst_ni) holds: assert (expr_i);
endmodule

module ry_assume (
    input logic rst_ni,
    input logic expr_i
);
  always_comb if (rst_ni) given: assume (expr_i);
endmodule

module ry_cover (
    input logic rst_ni,
    input logic expr_i
);
  always_comb if (rst_ni) reached: cover (expr_i);
endmodule
