// Proofs of pfc_watchdog. Assumed: time as in time_props.svh; poll_at_i is the first poll not
// earlier than now_i, and stands until then; polls are at most Period apart; detection_i,
// restoration_i and forgiven_i stand and are less than half of the range of time.
//
// The rule is told a second time, by lengths that grow with time instead of time stamps: g_ghost.
`include "rtl/common/time_props.svh"

  localparam int unsigned Period = 2 ** (TimeW - 2);
  localparam int unsigned LenW = TimeW + 1;  // of lengths, which stay at their greatest: 2^TimeW

  logic [  TimeW-1:0] to_poll, past_to_poll;
  logic [  TimeW-1:0] past_poll_at, past_detection, past_restoration, past_forgiven;
  logic [NumPrio-1:0] past_enable, past_paused, past_occupied;
  assign to_poll = poll_at_i - now_i;
  always_ff @(posedge clk_i) begin
    past_to_poll     <= to_poll;
    past_poll_at     <= poll_at_i;
    past_detection   <= detection_i;
    past_restoration <= restoration_i;
    past_forgiven    <= forgiven_i;
    past_enable      <= enable_i;
    past_paused      <= paused_i;
    past_occupied    <= occupied_i;
  end

  `RY_ASSUME(PollIsNear, to_poll < TimeW'(Period))
  `RY_ASSUME(PollStands, !running || ahead > past_to_poll || poll_at_i == past_poll_at)
  `RY_ASSUME(TimesStand, !running || (detection_i == past_detection &&
             restoration_i == past_restoration && forgiven_i == past_forgiven))
  `RY_ASSUME(TimesInRange, !detection_i[TimeW-1] && !restoration_i[TimeW-1] &&
             !forgiven_i[TimeW-1])

  logic [TimeW-1:0] step;
  assign step = running ? ahead : '0;

  // `length`, longer by what the clock has gone since its last edge.
  function automatic logic [LenW-1:0] longer(input logic [LenW-1:0] length,
                                             input logic [TimeW-1:0] by);
    logic [LenW:0] sum;
    sum    = (LenW+1)'(length) + (LenW+1)'(by);
    longer = sum >= (LenW+1)'(2 ** TimeW) ? LenW'(2 ** TimeW) : sum[LenW-1:0];
  endfunction

  logic [NumPrio-1:0] stands;  // no register changed at the latest edge

  for (genvar p = 0; p < NumPrio; p++) begin : g_ghost
    logic in_idle, in_watch, in_gap, in_storm, starts, ends;
    assign in_idle  = g_prio[p].state_q == StIdle;
    assign in_watch = g_prio[p].state_q == StWatch;
    assign in_gap   = g_prio[p].state_q == StGap;
    assign in_storm = g_prio[p].state_q == StStorm;
    assign starts   = !in_storm && g_prio[p].state_d == StStorm;
    assign ends     = in_storm && g_prio[p].state_d != StStorm;

    // How long ago the latest cycle was in which ... ; zero in such a cycle.
    logic [LenW-1:0] dequeue, dequeue_q;
    logic [LenW-1:0] empty, empty_q;
    logic [LenW-1:0] unwatched, unwatched_q;
    logic [LenW-1:0] xoff, xoff_q;
    assign dequeue   = dequeued_i[p] ? '0 : longer(dequeue_q, step);
    assign empty     = !occupied_i[p] ? '0 : longer(empty_q, step);
    assign unwatched = !enable_i[p] ? '0 : longer(unwatched_q, step);
    assign xoff      = xoff_i[p] ? '0 : longer(xoff_q, step);

    // How long it has been blocked without any gap, dequeue or storm.
    logic            blocked, blocked_q;
    logic [LenW-1:0] block, block_q;
    assign blocked = enable_i[p] && occupied_i[p] && paused_i[p];
    assign block   = blocked_q && !dequeued_i[p] && !in_storm ? longer(block_q, step) : '0;

    // How long it has not been paused, now and since the latest cycle in which that was too long.
    logic            unpaused_q;
    logic [LenW-1:0] unpaused, unpaused_len_q;
    logic [LenW-1:0] too_long, too_long_q;
    assign unpaused = unpaused_q ? longer(unpaused_len_q, step) : '0;
    assign too_long = unpaused > LenW'(forgiven_i) ? '0 : longer(too_long_q, step);

    // The watch: since its onset, and not paused in it since the latest poll.
    logic            watch_q, goes_on, fires;
    logic [LenW-1:0] watched, watched_q;
    logic [LenW-1:0] gaps, gaps_q;
    assign watched = longer(watched_q, step);
    assign gaps    = unpaused_q ? longer(gaps_q, step) : gaps_q;
    assign goes_on = watch_q && enable_i[p] && occupied_i[p] && !dequeued_i[p] &&
                     (!(paused_i[p] || poll) || (unpaused <= LenW'(forgiven_i) &&
                                                 gaps <= LenW'(forgiven_i)));
    assign fires   = goes_on && poll && watched >= LenW'(detection_i);

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        dequeue_q      <= '0;
        empty_q        <= '0;
        unwatched_q    <= '0;
        xoff_q         <= '0;
        blocked_q      <= 1'b0;
        block_q        <= '0;
        unpaused_q     <= 1'b0;
        unpaused_len_q <= '0;
        too_long_q     <= '0;
        watch_q        <= 1'b0;
        watched_q      <= '0;
        gaps_q         <= '0;
      end else begin
        dequeue_q      <= dequeue;
        empty_q        <= empty;
        unwatched_q    <= unwatched;
        xoff_q         <= xoff;
        blocked_q      <= blocked;
        block_q        <= block;
        unpaused_q     <= !paused_i[p];
        unpaused_len_q <= unpaused;
        too_long_q     <= too_long;
        if (goes_on) begin
          watch_q   <= !fires;
          watched_q <= watched;
          gaps_q    <= poll ? '0 : gaps;
        end else begin
          watch_q   <= blocked && (!in_storm || ends);
          watched_q <= '0;
          gaps_q    <= '0;
        end
      end
    end

    // --- when it fires ---
    `RY_ASSERT(NoStormOfAQueueThatDrains, starts, dequeue >= LenW'(detection_i) && !dequeued_i[p])
    `RY_ASSERT(NoStormOfAnEmptyQueue, starts, empty >= LenW'(detection_i) && occupied_i[p])
    `RY_ASSERT(NoStormOfAnUnwatchedQueue, starts, unwatched >= LenW'(detection_i) && enable_i[p])
    `RY_ASSERT(NoStormAcrossALongGap, starts, too_long >= LenW'(detection_i))
    `RY_ASSERT(StormOnlyFromTheWatch, starts, (in_watch || in_gap) && poll)
    `RY_ASSERT(FiresAtTheFirstPollAfterDetection, blocked_q && blocked && !dequeued_i[p] && poll &&
               !in_storm && block >= LenW'(detection_i), starts)
    `RY_ASSERT(FiresByTheRule, !in_storm, starts == fires)

    // --- when it is over ---
    `RY_ASSERT(StormLastsWhileXoffsArrive, ends && enable_i[p],
               poll && !xoff_i[p] && xoff >= LenW'(restoration_i))
    `RY_ASSERT(StormEndsAtTheFirstPollAfterRestoration, in_storm && poll && !xoff_i[p] &&
               g_prio[p].lasted >= restoration_i, ends)
    `RY_ASSERT(StormOfNoUnwatchedQueue, in_storm && !enable_i[p], ends)
    `RY_ASSERT(StormIsTold, 1'b1, storm_o[p] == in_storm)

    // Invariants that carry the induction.
    `RY_ASSERT(WatchIsWatch, 1'b1, watch_q == (in_watch || in_gap))
    `RY_ASSERT(WatchIsAsLong, watch_q, watched == LenW'(g_prio[p].lasted))
    `RY_ASSERT(GapIsAGap, watch_q, unpaused_q == in_gap)
    `RY_ASSERT(GapIsAsLong, in_gap, unpaused == LenW'(g_prio[p].gap) &&
               gaps == LenW'(g_prio[p].gaps))
    `RY_ASSERT(GapsAreAsLong, in_watch, gaps == LenW'(g_prio[p].gaps_q))
    `RY_ASSERT(GapsAreForgiven, in_watch, gaps <= LenW'(forgiven_i))
    `RY_ASSERT(BlockedIsWatched, blocked_q, !in_idle && !in_gap)
    `RY_ASSERT(BlockedNoLongerThanWatched, blocked_q && in_watch,
               longer(block_q, step) <= LenW'(g_prio[p].lasted))
    `RY_ASSERT(LongGapBeforeTheOnset, watch_q, longer(too_long_q, step) >= watched ||
               (in_gap && unpaused > LenW'(forgiven_i)))
    `RY_ASSERT(OnsetAfterTheLatestDrain, watch_q, longer(dequeue_q, step) >= watched &&
               longer(empty_q, step) >= watched && longer(unwatched_q, step) >= watched)
    `RY_ASSERT(SinceTheLatestXoff, in_storm,
               longer(xoff_q, step) >= LenW'(g_prio[p].lasted))
    `RY_ASSERT(WatchIsShort, watch_q, (LenW+1)'(g_prio[p].lasted) + (LenW+1)'(to_poll) <=
               (LenW+1)'(detection_i) + (LenW+1)'(Period))
    `RY_ASSERT(GapIsShort, in_gap, (LenW+1)'(g_prio[p].gap) + (LenW+1)'(to_poll) <=
               (LenW+1)'(forgiven_i) + (LenW+1)'(Period))
    `RY_ASSERT(GapsAreShort, in_gap, (LenW+1)'(gaps) + (LenW+1)'(to_poll) <=
               (LenW+1)'(forgiven_i) + (LenW+1)'(Period))
    `RY_ASSERT(StormIsPolled, in_storm, (LenW+1)'(g_prio[p].lasted) + (LenW+1)'(to_poll) <=
               (LenW+1)'(restoration_i) + (LenW+1)'(Period))

    // --- skipping ---
    state_e           past_state;
    logic [TimeW-1:0] past_since, past_gap_at, past_gaps;
    always_ff @(posedge clk_i) begin
      past_state  <= g_prio[p].state_q;
      past_since  <= g_prio[p].since_q;
      past_gap_at <= g_prio[p].gap_at_q;
      past_gaps   <= g_prio[p].gaps_q;
    end
    assign stands[p] = g_prio[p].state_q == past_state && g_prio[p].since_q == past_since &&
                       g_prio[p].gap_at_q == past_gap_at && g_prio[p].gaps_q == past_gaps;

    `RY_COVER(StormFound, starts && detection_i > TimeW'(2) && in_watch)
    `RY_COVER(StormFoundInAGap, starts && detection_i > TimeW'(2) && in_gap)
    `RY_COVER(StormFoundAfterAGap, starts && in_watch && watched > LenW'(4) &&
              longer(block_q, step) + LenW'(2) < watched)
    `RY_COVER(StormOver, ends && enable_i[p] && restoration_i > TimeW'(2))
    `RY_COVER(TwoGapsAreTooMuch, in_gap && paused_i[p] && unpaused <= LenW'(forgiven_i) &&
              gaps > LenW'(forgiven_i))
    `RY_COVER(APollDividesAGap, in_gap && paused_i[p] && gaps < unpaused && goes_on)
  end

  `RY_ASSERT(QuietChangesNothing, running && past_quiet, &stands)
  // While levels stand and nothing arrives or leaves, nothing changes before wake_o; whatever the
  // cycle before did.
  `RY_ASSERT(QuietUntilWake, running && before_wake && dequeued_i == '0 && xoff_i == '0 &&
             enable_i == past_enable && paused_i == past_paused && occupied_i == past_occupied,
             quiet_o)
  `RY_ASSERT(NothingToWatchIsQuiet, !wake_valid_o && (enable_i & occupied_i & paused_i) == '0,
             quiet_o)
  `RY_COVER(RestsInAStorm, running && storm_o != '0 && ahead > TimeW'(2))
