// Proofs of pfc_rx. Assumed: time as in time_props.svh, nothing else.
`include "rtl/common/time_props.svh"

  logic [NumPrio-1:0] past_paused, past_set, past_taken;
  logic               past_clear, past_frame;
  always_ff @(posedge clk_i) begin
    past_paused <= paused_q;
    past_set    <= set_q;
    past_taken  <= (frame_valid_i && !clear_i) ? enable_i : '0;
    past_clear  <= clear_i;
    past_frame  <= frame_valid_i && enable_i != '0;
  end

  logic [NumPrio-1:0] same;  // cycles_q and until_q are what they were

  for (genvar p = 0; p < NumPrio; p++) begin : g_ghost
    logic [CyclesW-1:0] past_cycles;
    logic [  TimeW-1:0] past_until;
    assign same[p] = g_prio[p].cycles_q == past_cycles && g_prio[p].until_q == past_until;

    // The product, added up bit by bit, and what it lost by rounding.
    logic [ProductW-1:0] exact, exact_q;
    always_comb begin
      exact = '0;
      for (int unsigned i = 0; i < QuantaW; i++) begin
        if (quanta_i[p*QuantaW + i]) exact = exact + (ProductW'(quantum_i) << i);
      end
    end
    logic [ProductW:0] twice, low, high;  // one bit more: twice the product
    assign twice = (ProductW+1)'(exact_q) << 1;
    assign low   = ((ProductW+1)'(g_prio[p].cycles_q) << (FracW + 1)) - ((ProductW+1)'(1) << FracW);
    assign high  = ((ProductW+1)'(g_prio[p].cycles_q) << (FracW + 1)) + ((ProductW+1)'(1) << FracW);

    // A pause counts its cycles: age is 1 in the first in which paused_o tells it.
    logic [  TimeW-1:0] age, age_q;
    logic [CyclesW-1:0] length_q;
    assign age = age_q + ahead;
    always_ff @(posedge clk_i) begin
      past_cycles <= g_prio[p].cycles_q;
      past_until  <= g_prio[p].until_q;
      exact_q     <= exact;
      age_q       <= set_q[p] ? '0 : age;
      if (set_q[p]) length_q <= g_prio[p].cycles_q;
    end

`ifdef RY_LEMMA
    `RY_ASSERT(RoundedToTheNearestCycle, running && past_taken[p],
               (g_prio[p].cycles_q == '0 || twice >= low) && twice < high)
`else
    `RY_ASSERT(NeverReleasedWhileItsTimerRuns, running && past_paused[p] && !paused_o[p],
               past_clear || past_set[p] || age_q == TimeW'(length_q))
    `RY_ASSERT(ReleasedWhenItsTimerEnds, paused_o[p], age <= TimeW'(length_q))
    `RY_ASSERT(PausedByAFrame, running && !past_paused[p] && paused_o[p], past_set[p])
    `RY_ASSERT(AFrameIsSeenOneCycleLater, running && past_set[p],
               paused_o[p] == (length_q != '0 && !past_clear))
    `RY_ASSERT(AFrameIsTaken, running, set_q[p] == past_taken[p])

    // An invariant that carries the induction.
    `RY_ASSERT(UntilIsTheRest, paused_q[p],
               length_q != '0 && g_prio[p].until_q - now_i == TimeW'(length_q) - age)

    `RY_COVER(PausedForItsWhole, running && past_paused[p] && !paused_o[p] && !past_clear &&
              !past_set[p] && length_q > CyclesW'(2))
    `RY_COVER(EndedByAZeroWord, running && past_paused[p] && !paused_o[p] && past_set[p])
    `RY_COVER(SetAgain, paused_q[p] && set_q[p] && age > TimeW'(1))
    `RY_COVER(ClearedInStageOne, set_q[p] && clear_i)
`endif
  end

`ifndef RY_LEMMA
  `RY_ASSERT(ClearForgetsAll, running && past_clear, paused_o == '0 && set_q == '0)
  `RY_ASSERT(QuietChangesNothing, running && past_quiet,
             set_q == past_set && paused_q == past_paused && same == '1)
  // After a quiet cycle the next is quiet too, until wake_o, if no frame comes and clear_i stays.
  `RY_ASSERT(QuietUntilWake, running && past_quiet && before_wake && clear_i == past_clear &&
             (!frame_valid_i || enable_i == '0), quiet_o)
  // And wake_o is no later than it must be: then something changes.
  `RY_ASSERT(WakesToChange, wake_valid_o && wake_o == now_i, !quiet_o)
`endif
