// Proofs of pfc_gen. Assumed: time as in time_props.svh; xon_th_i at most xoff_th_i; refresh_i from
// 1 to less than half of the range of time; and of what is around the block, that the transmit side
// is ready within ready_cycles (any number) of a frame's becoming due, and that an XOFF pauses the
// peer for at least refresh_i + ready_cycles + RefreshSlack cycles from the edge that takes it. (A
// cable between them moves both ends of a pause alike.)
`include "rtl/common/time_props.svh"

  // One cycle in which the due refresh is registered, and one so that the pause outlasts the edge
  // that takes it.
  localparam int unsigned RefreshSlack = 2;

  (* anyconst *) logic [TimeW-1:0] ready_cycles;
  (* anyseq *) logic [TimeW-1:0]   pause;  // of a frame that is taken now

  function automatic logic [TimeW+1:0] wide(input logic [TimeW-1:0] a);  // sums do not wrap
    wide = (TimeW+2)'(a);
  endfunction

  `RY_ASSUME(RefreshInRange, refresh_i != '0 && !refresh_i[TimeW-1])
  `RY_ASSUME(PauseOutlastsRefresh, !pause[TimeW-1] && wide(pause) >=
             wide(refresh_i) + wide(ready_cycles) + (TimeW+2)'(RefreshSlack))

  // Cycles since the latest frame was taken, of use while anything is told; and for how long a
  // frame has been due.
  logic             waited_q;
  logic [TimeW-1:0] age, age_q, waiting, waiting_q;
  logic [TimeW-1:0] repeat_q;  // refresh_i at that frame
  assign age     = age_q + ahead;
  assign waiting = waited_q ? waiting_q + ahead : '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waited_q  <= 1'b0;
      waiting_q <= '0;
      age_q     <= '0;
      repeat_q  <= '0;
    end else begin
      waited_q  <= tx_valid_o && !tx_ready_i;
      waiting_q <= waiting;
      age_q     <= age;
      if (tx_valid_o && tx_ready_i) begin
        age_q    <= '0;
        repeat_q <= refresh_i;
      end
    end
  end
  `RY_ASSUME(TransmitIsReadyInTime, !tx_valid_o || waiting < ready_cycles ||
             (waiting == ready_cycles && tx_ready_i))

  logic [NumPrio*DepthW-1:0] past_depth, past_xoff_th, past_xon_th;
  logic [       NumPrio-1:0] past_enable, past_crosses;
  logic [       NumPrio-1:0] past_want, past_told;
  logic                      past_again, past_clear, past_ready, past_valid;
  logic [         TimeW-1:0] past_refresh_at, past_refresh_in;
  always_ff @(posedge clk_i) begin
    past_depth      <= depth_i;
    past_xoff_th    <= xoff_th_i;
    past_xon_th     <= xon_th_i;
    past_enable     <= enable_i;
    past_crosses    <= crosses;
    past_want       <= want_q;
    past_told       <= told_q;
    past_again      <= again_q;
    past_refresh_at <= refresh_at_q;
    past_refresh_in <= refresh_i;
    past_clear      <= clear_i;
    past_ready      <= tx_ready_i;
    past_valid      <= tx_valid_o;
  end

  logic [NumPrio-1:0] may_skip;  // by the predicate with which a depth change wakes no block
  logic [NumPrio-1:0] peer_paused;

  for (genvar p = 0; p < NumPrio; p++) begin : g_ghost
    logic [DepthW-1:0] depth, xoff_th, xon_th;
    assign depth   = depth_i[p*DepthW +: DepthW];
    assign xoff_th = xoff_th_i[p*DepthW +: DepthW];
    assign xon_th  = xon_th_i[p*DepthW +: DepthW];
    `RY_ASSUME(XonAtMostXoff, xon_th <= xoff_th)

    // The rule, written another way: wanted above xoff_th, and from then on above xon_th.
    logic wanted_q;
    // The peer, as the frames alone tell it.
    logic             peer_paused_q;
    logic [TimeW-1:0] peer_pause_q;  // from the latest frame
    assign peer_paused[p] = peer_paused_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        wanted_q      <= 1'b0;
        peer_paused_q <= 1'b0;
        peer_pause_q  <= '0;
      end else begin
        wanted_q <= enable_i[p] && (depth > xoff_th || (wanted_q && depth > xon_th));
        if (tx_valid_o && tx_ready_i && tx_enable_o[p]) begin
          peer_paused_q <= tx_xoff_o[p];
          peer_pause_q  <= pause;
        end
        if (clear_i) peer_paused_q <= 1'b0;
      end
    end

    `RY_ASSERT(XonOnlyAfterXoff, tx_valid_o && tx_enable_o[p] && !tx_xoff_o[p], peer_paused_q)
    `RY_ASSERT(FrameSaysWhatIsWanted, tx_valid_o && tx_enable_o[p], tx_xoff_o[p] == wanted_q)
    `RY_ASSERT(FrameOfEveryChange, wanted_q != peer_paused_q, tx_valid_o && tx_enable_o[p])
    `RY_ASSERT(RefreshedBeforeThePeerGoesOn, wanted_q && peer_paused_q, age < peer_pause_q)

    // A depth that stays is answered once: no XOFF and XON in turns.
    `RY_ASSERT(AnsweredOnce, running && past_crosses[p] && past_enable[p] == enable_i[p] &&
               past_depth[p*DepthW +: DepthW] == depth &&
               past_xoff_th[p*DepthW +: DepthW] == xoff_th &&
               past_xon_th[p*DepthW +: DepthW] == xon_th, !crosses[p])

    assign may_skip[p] = enable_i[p] ? (want_q[p] ? depth > xon_th : depth <= xoff_th) : !want_q[p];

    // Invariants that carry the induction.
    `RY_ASSERT(WantedIsWant, 1'b1, wanted_q == want_q[p])
    `RY_ASSERT(PeerPausedIsTold, 1'b1, peer_paused_q == told_q[p])
    `RY_ASSERT(PauseOutlastsTheNextRefresh, peer_paused_q, !peer_pause_q[TimeW-1] &&
               wide(peer_pause_q) >=
               wide(repeat_q) + wide(ready_cycles) + (TimeW+2)'(RefreshSlack))

    `RY_COVER(ToldXon, tx_valid_o && tx_ready_i && tx_enable_o[p] && !tx_xoff_o[p])
    `RY_COVER(ClearedWhileTold, clear_i && told_q[p])
  end

  `RY_ASSERT(RefreshIsAhead, told_q != '0 && !again_q,
             age <= repeat_q && refresh_at_q - now_i == repeat_q - age)
  `RY_ASSERT(RefreshIsDueAtOnce, again_q,
             wide(age) <= wide(repeat_q) + wide(waiting) + (TimeW+2)'(1))

  // --- skipping ---
  `RY_ASSERT(QuietChangesNothing, running && past_quiet,
             want_q == past_want && told_q == past_told && again_q == past_again &&
             refresh_at_q == past_refresh_at)
  // After a quiet cycle the next is quiet too, until wake_o, while no input changes but depths that
  // may be skipped.
  `RY_ASSERT(QuietUntilWake, running && past_quiet && before_wake && (&may_skip) &&
             past_xoff_th == xoff_th_i && past_xon_th == xon_th_i && past_enable == enable_i &&
             past_refresh_in == refresh_i && past_clear == clear_i && past_ready == tx_ready_i,
             quiet_o)
  `RY_ASSERT(AnUnchangedDepthMayBeSkipped, running && past_quiet && past_depth == depth_i &&
             past_xoff_th == xoff_th_i && past_xon_th == xon_th_i && past_enable == enable_i,
             &may_skip)

  `RY_COVER(Refresh, tx_valid_o && tx_ready_i && tx_refresh_o)
  `RY_COVER(Overtaken, running && past_valid && !past_ready && !past_clear && !tx_valid_o)
  `RY_COVER(TransmitWaitsItsWhole, tx_valid_o && tx_refresh_o && ready_cycles > TimeW'(2) &&
            waiting == ready_cycles)
  `RY_COVER(PeerNearlyGoesOn, peer_paused != '0 && refresh_i > TimeW'(2) && g_ghost[0].wanted_q &&
            g_ghost[0].peer_paused_q && age == g_ghost[0].peer_pause_q - TimeW'(1))
  `RY_COVER(DepthMovesInAQuietCycle, running && past_quiet && quiet_o && want_q != '0 &&
            past_depth != depth_i)
