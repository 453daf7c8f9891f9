// Proofs of dcqcn_np. Assumed: time as in time_props.svh; interval_i and delay_i stay as they are.
// What is proved of the context `watched` and of the CNP that is `tracked` is proved of each.
`include "rtl/common/time_props.svh"

  (* anyconst *) logic [IndexW-1:0] watched;
  (* anyconst *) logic [StampW-3:0] the_interval;
  (* anyconst *) logic [DelayW-1:0] the_delay;
  (* anyseq *) logic                track;  // the CNP that becomes due now, if it is of `watched`
  `RY_ASSUME(IntervalStays, interval_i == the_interval)
  `RY_ASSUME(DelayStays, delay_i == the_delay)

  // Cycles since a CNP of `watched` was due, without end; and since the tracked one was.
  localparam int unsigned AgeW = TimeW + 2;
  logic            was_due_q;
  logic [AgeW-1:0] since_due, since_due_q;
  logic            due_now;
  assign due_now = due && s1_index_q == watched;
  always_comb begin
    since_due = since_due_q + AgeW'(ahead);
    if (since_due[AgeW-1]) since_due = {1'b0, {(AgeW - 1) {1'b1}}};
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      was_due_q   <= 1'b0;
      since_due_q <= '0;
    end else begin
      was_due_q   <= was_due_q || due_now;
      since_due_q <= due_now ? '0 : since_due;
    end
  end
  logic elapsed;
  assign elapsed = !was_due_q || since_due >= AgeW'(the_interval);

  `RY_ASSERT(NeverTwoInsideTheInterval, due_now, elapsed)
  `RY_ASSERT(DueOnceTheIntervalHasPassed, s1_valid_q && s1_index_q == watched && elapsed, due)
  `RY_ASSERT(APacketIsJudgedInTheNextCycle, running, s1_valid_q == past_take)
  `RY_ASSERT(NoPacketIsHeldUpWithoutCause, ce_valid_i && init_done && !scan &&
             count_q + (PointW + 1)'(s1_valid_q) < (PointW + 1)'(FifoDepth), take)

  logic past_take;
  always_ff @(posedge clk_i) past_take <= take;

  // The tracked CNP: where it stands, and for how long it has been due.
  logic              tracked_q, in_head_q;
  logic [PointW-1:0] slot_q;
  logic [ TimeW-1:0] delayed, delayed_q;
  logic [  PointW:0] before;  // CNPs in the FIFO that go first
  assign delayed = delayed_q + ahead;
  assign before  = {1'b0, slot_q - read_at_q};
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tracked_q <= 1'b0;
      in_head_q <= 1'b0;
      slot_q    <= '0;
      delayed_q <= '0;
    end else begin
      delayed_q <= delayed;
      if (tracked_q && !in_head_q && load && before == '0) in_head_q <= 1'b1;
      if (tracked_q && in_head_q && pop) tracked_q <= 1'b0;
      if (!tracked_q && due_now && track) begin
        tracked_q <= 1'b1;
        in_head_q <= 1'b0;
        slot_q    <= write_at_q;
        delayed_q <= '0;
      end
    end
  end
  // Half of the range of time is enough for any stall.
  `RY_ASSUME(AStallEnds, !tracked_q || !delayed[TimeW-1])

  `RY_ASSERT(ACnpHasItsIndex, tracked_q && in_head_q && cnp_valid_o, cnp_index_o == watched)
  `RY_ASSERT(ACnpIsNotEarly, tracked_q && in_head_q && cnp_valid_o, delayed >= TimeW'(the_delay))
  `RY_ASSERT(ACnpAtTheOutputIsNotLate, tracked_q && in_head_q && delayed >= TimeW'(the_delay),
             cnp_valid_o)
  `RY_ASSERT(ACnpWaitsForNoOther, tracked_q && !in_head_q && before == '0 && !head_valid_q, load)

  // While the transmit side has always been ready, each CNP leaves as long after it was due as any
  // other: so no two of a context leave inside the interval either.
  localparam logic [TimeW-1:0] Least = 2;
  logic             always_ready_q;
  logic [TimeW-1:0] latency, head_age, first_age, last_age;
  assign latency   = TimeW'(the_delay) < Least ? Least : TimeW'(the_delay);
  assign head_age  = now_i - head_at + TimeW'(the_delay);
  assign first_age = now_i - waiting[read_at_q][EntryW-1:IndexW] + TimeW'(the_delay);
  assign last_age  = now_i - waiting[write_at_q - PointW'(1)][EntryW-1:IndexW] + TimeW'(the_delay);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) always_ready_q <= 1'b1;
    else always_ready_q <= always_ready_q && cnp_ready_i;
  end
  `RY_ASSERT(EveryCnpLeavesAfterTheSameTime, always_ready_q && tracked_q && in_head_q && pop,
             delayed == latency)
  `RY_ASSERT(HeadIsOnTime, always_ready_q && head_valid_q,
             head_age >= Least && head_age <= latency)
  `RY_ASSERT(FirstFollowsTheHead, always_ready_q && head_valid_q && count_q != '0,
             first_age != '0 && first_age < head_age)
  `RY_ASSERT(FirstIsNew, always_ready_q && !head_valid_q && count_q != '0,
             first_age == TimeW'(1) && count_q == (PointW + 1)'(1))
  `RY_ASSERT(LastFollowsTheFirst, always_ready_q && count_q > (PointW + 1)'(1),
             last_age != '0 && last_age < first_age)

  // --- skipping ---
  logic [IndexW:0] past_fresh;
  logic [PointW:0] past_count;
  logic [EntryW:0] past_head;
  logic [ContextW-1:0] past_context;
  logic past_ce, past_ready;
  logic [1:0] past_busy;
  logic [IndexW-1:0] past_index;
  always_ff @(posedge clk_i) begin
    past_fresh   <= fresh_q;
    past_count   <= count_q;
    past_head    <= {head_valid_q, head_q};
    past_context <= contexts[watched];
    past_ce      <= ce_valid_i;
    past_busy    <= {s1_valid_q, s1_scan_q};
    past_ready   <= cnp_ready_i;
    past_index   <= ce_index_i;
  end
  `RY_ASSERT(QuietChangesNothing, running && past_quiet,
             fresh_q == past_fresh && count_q == past_count &&
             {head_valid_q, head_q} == past_head && contexts[watched] == past_context &&
             {s1_valid_q, s1_scan_q} == past_busy && init_done)
  // wake_o is a function of now_i: what counts is the one that the quiet cycle told.
  `RY_ASSERT(QuietUntilWake, running && past_quiet && (!past_wake_valid || ahead < past_sleep) &&
             past_ce == ce_valid_i && past_index == ce_index_i && past_ready == cnp_ready_i,
             quiet_o)

  // --- invariants that carry the induction ---
  // Cycles since the scan last came to `watched`.
  localparam logic [StampW-3:0] ScanOne = 1;
  logic [StampW-3:0] since_scan;
  logic [ContextW-1:0] kept;
  logic scanning;
  assign since_scan = now_i[StampW-3:0] - ((StampW - 2)'(watched) << ScanW);
  assign kept       = contexts[watched];
  assign scanning   = since_scan == '0 || (s1_scan_q && s1_index_q == watched);
  `RY_ASSERT(WhatIsClearedStays, !init_done, fresh_q == '0 && !s1_valid_q && !s1_scan_q &&
             count_q == '0 && !head_valid_q && !was_due_q)
  `RY_ASSERT(InitCountsToItsEnd, 1'b1, init_q <= (IndexW + 1)'(NumQps))
  `RY_ASSERT(ClearedSoFar, (IndexW + 1)'(watched) < init_q && !was_due_q, !kept[StampW])
  `RY_ASSERT(AStampIsTheAge, init_done && kept[StampW], was_due_q &&
             since_due == AgeW'(StampW'(now_i[StampW-1:0] - kept[StampW-1:0])))
  `RY_ASSERT(AStampIsYoung, init_done && kept[StampW],
             since_due <= AgeW'(since_scan) + AgeW'(the_interval) + AgeW'(ScanOne) ||
             (scanning && since_due <= AgeW'(the_interval) + (AgeW'(1) << (StampW - 2)) +
                                       AgeW'(since_scan) + AgeW'(ScanOne)))
  `RY_ASSERT(NoStampNoInterval, init_done && !kept[StampW], elapsed)
  `RY_ASSERT(StageOneHasTheContext, s1_valid_q || s1_scan_q,
             context_now == contexts[s1_index_q])
  `RY_ASSERT(ScanIsOfItsSlot, s1_scan_q, now_i[ScanW-1:0] == ScanW'(1) &&
             now_i[ScanW+:IndexW] == s1_index_q && fresh_q != '0)
  // Small sizes alone: counted one by one.
  logic [IndexW:0] valid_contexts;
  always_comb begin
    valid_contexts = '0;
    for (int unsigned i = 0; i < NumQps; i++) begin
      valid_contexts =
          valid_contexts + (IndexW + 1)'((IndexW + 1)'(i) < init_q && contexts[i][StampW]);
    end
  end
  `RY_ASSERT(FreshAreCounted, 1'b1, fresh_q == valid_contexts)
  `RY_ASSERT(FifoFits, 1'b1, count_q <= (PointW + 1)'(FifoDepth) &&
             count_q + (PointW + 1)'(s1_valid_q) <= (PointW + 1)'(FifoDepth) &&
             write_at_q == read_at_q + count_q[PointW-1:0])
  `RY_ASSERT(TrackedStandsInTheFifo, tracked_q && !in_head_q, before < count_q &&
             waiting[slot_q] == {now_i - delayed + TimeW'(the_delay), watched})
  `RY_ASSERT(TrackedIsTheHead, tracked_q && in_head_q, head_valid_q &&
             head_q == {now_i - delayed + TimeW'(the_delay), watched})

  `RY_COVER(Suppressed, s1_valid_q && !due && the_interval > (StampW - 2)'(2))
  `RY_COVER(DueAgainAfterTheInterval, due && is_fresh && the_interval > (StampW - 2)'(2))
  `RY_COVER(Scanned, clear)
  `RY_COVER(Bypassed, s1_valid_q && bypass_q && !due)
  `RY_COVER(Full, ce_valid_i && !room)
  `RY_COVER(Delayed, pop && tracked_q && in_head_q && the_delay > DelayW'(2))
