`include "rtl/common/assert.svh"

// The congestion point: WRED with ECN, for the egress queues of one port.
//
// A request is taken in every cycle, and answered three cycles later: of depth q, a frame is hit
// with probability 0 for q <= kmin_i, (q - kmin_i) * slope_i / 2^shift_i up to kmax_i, but at most
// pmax_i, and 1 above. A frame that is hit and ECT is marked; one that has CE passes; one that is
// not ECT is dropped, or passes. The depth is the one at hand: whoever wants an average keeps it
// outside.
//
// Random numbers: xorshift with the shifts 13, 7, 17 (Marsaglia 2003), a linear recurrence over 64
// bits of period 2^64 - 1 as an LFSR is one, in three rows of XORs. It steps once a request, never
// else. (An LFSR that shifts by one bit a request would not do: two numbers in turn share all bits
// but one, and marks come in pairs.)
module ecn_marker #(
    parameter int unsigned     DepthW   = 32,
    parameter int unsigned     ProbW    = 24,  // bits of a probability behind the point
    parameter int unsigned     ShiftW   = $clog2(DepthW),
    parameter logic     [63:0] LfsrSeed = 64'h9E37_79B9_7F4A_7C15  // not zero
) (
    input logic clk_i,
    input logic rst_ni,

    // To be changed while quiet_o.
    input logic              enable_i,
    input logic [DepthW-1:0] kmin_i,
    input logic [DepthW-1:0] kmax_i,          // at least kmin_i
    input logic [   ProbW:0] pmax_i,          // UQ1.ProbW, at most 1
    input logic [   ProbW:0] slope_i,         // ceil(pmax_i * 2^shift_i / (kmax_i - kmin_i))
    input logic [ShiftW-1:0] shift_i,         // floor(log2(kmax_i - kmin_i))
    input logic              drop_non_ect_i,

    input logic        seed_valid_i,  // the next request's number comes of seed_i
    input logic [63:0] seed_i,        // zero stands for LfsrSeed

    input logic              req_valid_i,
    input logic [DepthW-1:0] req_depth_i,
    input logic [       1:0] req_ecn_i,    // of the IP header: 0 not ECT, 1 and 2 ECT, 3 CE

    output logic       dec_valid_o,
    output logic [1:0] dec_o,        // decision_e, three cycles after its request

    output logic quiet_o  // no register would change at the next edge
);
  typedef enum logic [1:0] {
    DecPass = 2'd0,
    DecMark = 2'd1,
    DecDrop = 2'd2
  } decision_e;

  localparam int unsigned ProductW = DepthW + ProbW + 1;

  if (LfsrSeed == '0) begin : g_no_seed
    $fatal(1, "%m: LfsrSeed is zero; it does not fit");
  end
  if (ProbW > 63 || ShiftW < $clog2(DepthW)) begin : g_widths
    $fatal(1, "%m: widths do not fit");
  end

  function automatic logic [63:0] stepped(input logic [63:0] x);
    logic [63:0] a, b;
    a = x ^ (x << 13);
    b = a ^ (a >> 7);
    stepped = b ^ (b << 17);
  endfunction

  logic [63:0] lfsr_d, lfsr_q;
  always_comb begin
    lfsr_d = lfsr_q;
    if (req_valid_i) lfsr_d = stepped(lfsr_q);
    if (seed_valid_i) lfsr_d = seed_i == '0 ? LfsrSeed : seed_i;
  end

  // Stage 1: where on the curve; what becomes of the frame if it is hit.
  logic              s1_valid_q;
  logic              s1_never_q;   // at or below kmin_i
  logic              s1_always_q;  // above kmax_i
  logic [DepthW-1:0] s1_excess_q;  // depth - kmin_i
  logic [ ProbW-1:0] s1_draw_q;
  decision_e         s1_hit_d, s1_hit_q;
  always_comb begin
    unique case (req_ecn_i)
      2'b00:   s1_hit_d = drop_non_ect_i ? DecDrop : DecPass;
      2'b11:   s1_hit_d = DecPass;
      default: s1_hit_d = DecMark;
    endcase
  end

  // Stage 2: the product.
  logic                s2_valid_q;
  logic                s2_never_q, s2_always_q;
  logic [ProductW-1:0] s2_product_q;
  logic [   ProbW-1:0] s2_draw_q;
  decision_e           s2_hit_q;

  // Stage 3: the draw against the probability.
  logic                s3_valid_q;
  logic [ProductW-1:0] share;
  logic [     ProbW:0] probability;
  logic                hit;
  decision_e           s3_dec_q;
  assign share       = s2_product_q >> shift_i;
  assign probability = share > ProductW'(pmax_i) ? pmax_i : (ProbW + 1)'(share);
  assign hit         = !s2_never_q && (s2_always_q || (ProbW + 1)'(s2_draw_q) < probability);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      lfsr_q       <= LfsrSeed;
      s1_valid_q   <= 1'b0;
      s1_never_q   <= 1'b0;
      s1_always_q  <= 1'b0;
      s1_excess_q  <= '0;
      s1_draw_q    <= '0;
      s1_hit_q     <= DecPass;
      s2_valid_q   <= 1'b0;
      s2_never_q   <= 1'b0;
      s2_always_q  <= 1'b0;
      s2_product_q <= '0;
      s2_draw_q    <= '0;
      s2_hit_q     <= DecPass;
      s3_valid_q   <= 1'b0;
      s3_dec_q     <= DecPass;
    end else begin
      lfsr_q     <= lfsr_d;
      s1_valid_q <= req_valid_i;
      s2_valid_q <= s1_valid_q;
      s3_valid_q <= s2_valid_q;
      if (req_valid_i) begin
        s1_never_q  <= !enable_i || req_depth_i <= kmin_i;
        s1_always_q <= req_depth_i > kmax_i;
        s1_excess_q <= req_depth_i - kmin_i;
        s1_draw_q   <= lfsr_q[63-:ProbW];
        s1_hit_q    <= s1_hit_d;
      end
      if (s1_valid_q) begin
        s2_never_q   <= s1_never_q;
        s2_always_q  <= s1_always_q;
        s2_product_q <= ProductW'(s1_excess_q) * ProductW'(slope_i);
        s2_draw_q    <= s1_draw_q;
        s2_hit_q     <= s1_hit_q;
      end
      if (s2_valid_q) s3_dec_q <= hit ? s2_hit_q : DecPass;
    end
  end

  assign dec_valid_o = s3_valid_q;
  assign dec_o       = s3_dec_q;
  assign quiet_o     = !req_valid_i && !seed_valid_i && !s1_valid_q && !s2_valid_q && !s3_valid_q;

  `RY_ASSERT(TheLfsrNeverStops, 1'b1, lfsr_q != '0)
  `RY_ASSERT(NoMoreThanPmax, 1'b1, probability <= pmax_i)

`ifdef RY_PROPS
`include "rtl/ecn/ecn_marker_props.svh"
`endif
endmodule
