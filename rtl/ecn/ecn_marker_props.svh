// Proofs of ecn_marker. Assumed: kmin_i at most kmax_i; pmax_i at most 1; slope_i and shift_i as
// their formulas say, told by products in place of a quotient; registers change in quiet cycles
// alone. Time plays no part, so its assumptions are not included.
  initial assume (!rst_ni);

  localparam int unsigned WideW = 2 * DepthW + ProbW + 4;

  logic running;
  logic past_quiet, past_req, past_seed;
  logic [2:0] busy, past_busy;
  assign busy = {s1_valid_q, s2_valid_q, s3_valid_q};
  logic [63:0] past_lfsr;
  logic [DepthW-1:0] past_kmin, past_kmax;
  logic [ProbW:0] past_pmax, past_slope;
  logic [ShiftW-1:0] past_shift;
  logic past_enable, past_drop;
  logic [1:0] past_dec;
  logic [ProductW-1:0] past_product;
  always_ff @(posedge clk_i) begin
    running      <= rst_ni;
    past_quiet   <= quiet_o;
    past_req     <= req_valid_i;
    past_seed    <= seed_valid_i;
    past_busy    <= busy;
    past_lfsr    <= lfsr_q;
    past_kmin    <= kmin_i;
    past_kmax    <= kmax_i;
    past_pmax    <= pmax_i;
    past_slope   <= slope_i;
    past_shift   <= shift_i;
    past_enable  <= enable_i;
    past_drop    <= drop_non_ect_i;
    past_dec     <= dec_o;
    past_product <= s2_product_q;
  end

  logic [WideW-1:0] width, unit, pmax_scaled, slope_width;
  assign width       = WideW'(kmax_i) - WideW'(kmin_i);
  assign unit        = WideW'(1) << shift_i;
  assign pmax_scaled = WideW'(pmax_i) << shift_i;
  assign slope_width = WideW'(slope_i) * width;
  `RY_ASSUME(KminAtMostKmax, kmin_i <= kmax_i)
  `RY_ASSUME(PmaxAtMostOne, pmax_i <= ((ProbW + 1)'(1) << ProbW))
  `RY_ASSUME(ShiftIsTheLogarithm, width == '0 || (unit <= width && width < (unit << 1)))
  `RY_ASSUME(SlopeIsTheQuotient, width == '0 || (slope_width >= pmax_scaled &&
             slope_width < pmax_scaled + width))
  `RY_ASSUME(RegistersChangeWhileQuiet, !running || past_quiet ||
             (past_kmin == kmin_i && past_kmax == kmax_i && past_pmax == pmax_i &&
              past_slope == slope_i && past_shift == shift_i && past_enable == enable_i &&
              past_drop == drop_non_ect_i))

  // The requests of the last three cycles, as they came.
  logic              v1, v2, v3;
  logic [DepthW-1:0] d1, d2, d3;
  logic [       1:0] e1, e2, e3;
  logic [ ProbW-1:0] r1, r2, r3;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {v1, v2, v3} <= '0;
    end else begin
      {v1, v2, v3} <= {req_valid_i, v1, v2};
    end
  end
  always_ff @(posedge clk_i) begin
    {d1, d2, d3} <= {req_depth_i, d1, d2};
    {e1, e2, e3} <= {req_ecn_i, e1, e2};
    {r1, r2, r3} <= {lfsr_q[63-:ProbW], r1, r2};
  end

  // Its probability, exactly: what it must be at least and at most, both times width.
  logic [WideW-1:0] exact, got;
  logic             sloped, ect, ce, hit3;
  assign exact  = WideW'(pmax_i) * (WideW'(d2) - WideW'(kmin_i));
  assign got    = WideW'(probability) * width;
  assign sloped = v2 && d2 > kmin_i && d2 <= kmax_i;
  assign ect    = e3 == 2'd1 || e3 == 2'd2;
  assign ce     = e3 == 2'd3;
  assign hit3   = dec_o != 2'd0;

`ifdef RY_LEMMA
  // Less than two units above the exact value and less than one below.
  `RY_ASSERT(ProbabilityIsNotTooLow, sloped, got + width > exact)
  `RY_ASSERT(ProbabilityIsNotTooHigh, sloped, got < exact + (width << 1))
  `RY_ASSERT(PmaxAtKmax, sloped && d2 == kmax_i, probability == pmax_i)
`else
  `RY_ASSERT(AnsweredAfterThreeCycles, 1'b1, dec_valid_o == v3)
  `RY_ASSERT(PassesUpToKmin, v3 && (!enable_i || d3 <= kmin_i), !hit3)
  `RY_ASSERT(MarksAboveKmax, v3 && enable_i && d3 > kmax_i && ect, dec_o == 2'd1)
  `RY_ASSERT(DropsAboveKmax, v3 && enable_i && d3 > kmax_i && e3 == 2'd0 && drop_non_ect_i,
             dec_o == 2'd2)
  `RY_ASSERT(CePasses, v3 && ce, !hit3)
  `RY_ASSERT(MarksEctAlone, v3 && dec_o == 2'd1, ect)
  `RY_ASSERT(DropsIfToldTo, v3 && dec_o == 2'd2, e3 == 2'd0 && drop_non_ect_i)
  `RY_ASSERT(NoHitOfALargeDraw, v3 && d3 <= kmax_i && (ProbW + 1)'(r3) >= pmax_i, !hit3)
  `RY_ASSERT(StepsPerRequest, running && !past_seed,
             lfsr_q == (past_req ? stepped(past_lfsr) : past_lfsr))
  `RY_ASSERT(QuietChangesNothing, running && past_quiet,
             lfsr_q == past_lfsr && dec_o == past_dec && s2_product_q == past_product &&
             busy == past_busy)
`endif
  // Invariants that carry the induction.
  `RY_ASSERT(StageOne, v1, s1_never_q == (!enable_i || d1 <= kmin_i) &&
             s1_always_q == (d1 > kmax_i) && s1_excess_q == d1 - kmin_i && s1_draw_q == r1 &&
             s1_hit_q == (e1 == 2'd3 ? 2'd0 : e1 != 2'd0 ? 2'd1 : {drop_non_ect_i, 1'b0}))
  `RY_ASSERT(StageTwo, v2, s2_never_q == (!enable_i || d2 <= kmin_i) &&
             s2_always_q == (d2 > kmax_i) && s2_draw_q == r2 &&
             s2_product_q == ProductW'(DepthW'(d2 - kmin_i)) * ProductW'(slope_i) &&
             s2_hit_q == (e2 == 2'd3 ? 2'd0 : e2 != 2'd0 ? 2'd1 : {drop_non_ect_i, 1'b0}))
  `RY_ASSERT(Stages, 1'b1, s1_valid_q == v1 && s2_valid_q == v2 && s3_valid_q == v3)

  `RY_COVER(Marked, dec_valid_o && dec_o == 2'd1 && d3 <= kmax_i)
  `RY_COVER(Dropped, dec_valid_o && dec_o == 2'd2 && d3 <= kmax_i)
  `RY_COVER(SparedOnTheSlope, dec_valid_o && dec_o == 2'd0 && ect && enable_i && d3 > kmin_i)
  `RY_COVER(EveryCycle, v1 && v2 && v3)
