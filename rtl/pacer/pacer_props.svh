// Proofs of pacer. Assumed: time as in time_props.svh; burst_i stays as it is; and a QP sends only
// while it is at most a quarter of a stamp's range ahead (one that waits for its time is never
// ahead). What is proved of the context `watched` is proved of each.
`include "rtl/common/time_props.svh"

  (* anyconst *) logic [IndexW-1:0] watched;
  (* anyconst *) logic [StampW-4:0] the_burst;
  `RY_ASSUME(BurstStays, burst_i == the_burst)

  // The rule, told as a bucket: what the QP still owes, in cycles and their fraction, negative if it
  // is late. It drains with time, down to the burst, and each packet fills it; an opening empties it
  // before. Of the time in which stage 2's packet was sent.
  localparam int unsigned DebtW = TimeW + FracW + 2;
  logic signed [DebtW-1:0] debt, debt_q, owed_before, drained, least, cost, unit;
  logic                    charged;
  assign unit    = DebtW'(1) << FracW;
  assign least   = -(DebtW'(the_burst) << FracW);
  assign drained = debt_q - (DebtW'(ahead) << FracW);
  // Late by whole cycles: up to less than one more than the burst.
  assign owed_before = drained <= least - unit ? least : drained;
  assign debt        = charged && o2 ? '0 : owed_before;
  assign charged = s2_valid_q && s2_index_q == watched;

  // The packets of the last two cycles, as they came; the product added up bit by bit.
  logic [IndexW-1:0] i1, i2;
  logic v1, v2, o1, o2;
  logic [ProductW-1:0] exact, c1, c2;
  always_comb begin
    exact = '0;
    for (int unsigned i = 0; i < BytesW; i++) begin
      if (tx_bytes_i[i]) exact = exact + (ProductW'(tx_interval_i) << i);
    end
  end
  assign cost = DebtW'(c2);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {v1, v2} <= '0;
      {o1, o2} <= '0;
    end else begin
      {v1, v2} <= {tx_valid_i && tx_ready_o, v1};
      {o1, o2} <= {tx_valid_i && tx_ready_o && tx_open_i, o1};
    end
  end
  always_ff @(posedge clk_i) begin
    {i1, i2} <= {tx_index_i, i1};
    {c1, c2} <= {exact, c1};
  end

  logic started_q, past_charged;  // before the first cycle nothing has drained
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      debt_q       <= '0;
      started_q    <= 1'b0;
      past_charged <= 1'b0;
    end else begin
      started_q    <= 1'b1;
      past_charged <= charged;
      debt_q       <= !started_q ? least : charged ? debt + cost : debt;
    end
  end
  `RY_ASSUME(NotFarAhead, !charged || debt <= (unit << (StampW - 2)))

  // What stage 2 charged in the cycle before, and how long after that packet was sent it releases.
  localparam int unsigned Latency = 3;
  logic signed [TimeW-1:0] to_release;
  logic signed [DebtW-1:0] release_in;
  assign to_release = next_at_o - (now_i - TimeW'(Latency));
  assign release_in = {{(DebtW - TimeW) {to_release[TimeW-1]}}, to_release} <<< FracW;

  `RY_ASSERT(AnsweredAfterThreeCycles, running, next_valid_o == past_v2)
  `RY_ASSERT(TheAnswerHasItsIndex, past_charged, next_valid_o && next_index_o == watched)
  `RY_ASSERT(NeverReleasesEarly, past_charged, release_in >= debt_q)
  `RY_ASSERT(ReleasesInTheFirstWholeCycle, past_charged, release_in < debt_q + unit)
  `RY_ASSERT(NoPacketIsHeldUpWithoutCause, tx_valid_i && init_done && !scan, take)

  logic past_v2;
  always_ff @(posedge clk_i) past_v2 <= v2;

  // --- skipping ---
  logic [IndexW:0] past_fresh;
  logic [TimeW-1:0] past_at;
  logic [ContextW-1:0] past_context;
  logic past_tx;
  logic [4:0] busy, past_busy;
  assign busy = {s1_valid_q, s1_scan_q, s2_valid_q, s2_scan_q, next_valid_q};
  always_ff @(posedge clk_i) begin
    past_fresh   <= fresh_q;
    past_at      <= next_at_q;
    past_context <= contexts[watched];
    past_tx      <= tx_valid_i;
    past_busy    <= busy;
  end
  `RY_ASSERT(QuietChangesNothing, running && past_quiet,
             fresh_q == past_fresh && next_at_q == past_at && contexts[watched] == past_context &&
             busy == past_busy && init_done)
  // wake_o is a function of now_i: what counts is the one that the quiet cycle told.
  `RY_ASSERT(QuietUntilWake, running && past_quiet && (!past_wake_valid || ahead < past_sleep) &&
             past_tx == tx_valid_i, quiet_o)

  // --- invariants that carry the induction ---
  logic [StampW-3:0] since_scan;  // cycles since the scan last came to `watched`
  logic [ContextW-1:0] kept;
  logic scanning;
  logic signed [DebtW-1:0] owed, slot_late;  // by the context; the most that it may be late
  logic [PointW-1:0] ahead_of_sent;
  assign since_scan    = now_i[StampW-3:0] - ((StampW - 2)'(watched) << ScanW);
  assign kept          = contexts[watched];
  assign scanning      = since_scan == '0 || (s1_scan_q && s1_index_q == watched) ||
                         (s2_scan_q && s2_index_q == watched);
  assign ahead_of_sent = kept[PointW-1:0] - {sent_stamp, FracW'(0)};
  assign owed          = {{(DebtW - PointW) {ahead_of_sent[PointW-1]}}, ahead_of_sent};
  assign slot_late     = (DebtW'(the_burst) + DebtW'(since_scan) + DebtW'(1) +
                          (scanning ? DebtW'(1) << (StampW - 2) : '0)) << FracW;
  `RY_ASSERT(WhatIsClearedStays, !init_done, fresh_q == '0 && !s1_valid_q && !s1_scan_q &&
             !s2_valid_q && !s2_scan_q)
  `RY_ASSERT(InitCountsToItsEnd, 1'b1, init_q <= (IndexW + 1)'(NumQps))
  `RY_ASSERT(StartedBeforeCleared, !started_q, init_q == '0)
  `RY_ASSERT(NothingOwedAtTheStart, started_q && !init_done, debt_q == least)
  `RY_ASSERT(ClearedSoFar, (IndexW + 1)'(watched) < init_q && !init_done, !kept[PointW])
  `RY_ASSERT(DebtIsBounded, started_q, debt_q > least - unit &&
             debt_q < (unit << (StampW - 1)))
  `RY_ASSERT(NoContextNoDebt, init_done && !kept[PointW], owed_before == least)
  `RY_ASSERT(AContextIsTheDebt, init_done && kept[PointW],
             owed <= least - unit ? owed_before == least : owed_before == owed)
  `RY_ASSERT(AContextIsNotTooLate, init_done && kept[PointW], owed >= -slot_late)
  `RY_ASSERT(Stages, 1'b1, s1_valid_q == v1 && s2_valid_q == v2 && s1_open_q == o1 &&
             s2_open_q == o2 && (!v1 || s1_index_q == i1) &&
             (!v2 || (s2_index_q == i2 && s2_product_q == c2)))
  `RY_ASSERT(StageOneHasItsFactors, v1, ProductW'(s1_bytes_q) * ProductW'(s1_interval_q) == c1)
  `RY_ASSERT(AProductIsOne, v2, c2 <=
             ProductW'({BytesW{1'b1}}) * ProductW'({(IntW + FracW) {1'b1}}))
  `RY_ASSERT(StageTwoHasTheContext, s2_valid_q || s2_scan_q, context_now == contexts[s2_index_q])
  `RY_ASSERT(ScanIsOfItsSlot, 1'b1,
             (!s1_scan_q || (!s1_valid_q && now_i[ScanW-1:0] == ScanW'(1) &&
                             now_i[ScanW+:IndexW] == s1_index_q && fresh_q != '0)) &&
             (!s2_scan_q || (now_i[ScanW-1:0] == ScanW'(2) &&
                             now_i[ScanW+:IndexW] == s2_index_q && fresh_q != '0)))
  // Small sizes alone: counted one by one.
  logic [IndexW:0] valid_contexts;
  always_comb begin
    valid_contexts = '0;
    for (int unsigned i = 0; i < NumQps; i++) begin
      valid_contexts =
          valid_contexts + (IndexW + 1)'((IndexW + 1)'(i) < init_q && contexts[i][PointW]);
    end
  end
  `RY_ASSERT(FreshAreCounted, 1'b1, fresh_q == valid_contexts)

  `RY_COVER(CaughtUp, charged && debt[DebtW-1] && debt > least && the_burst > (StampW - 3)'(1))
  `RY_COVER(Fraction, charged && !debt[DebtW-1] && debt != '0 && debt < unit)
  `RY_COVER(Opened, charged && o2 && is_fresh && context_now[PointW-1:FracW] != sent_stamp)
  `RY_COVER(Scanned, clear)
  `RY_COVER(Bypassed, s2_valid_q && bypass_q)
