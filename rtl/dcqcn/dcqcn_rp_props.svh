// Proofs of dcqcn_rp's stages, at the shipped widths. Products, shifts and differences are cut: whatever
// they are, what is here holds (dcqcn_rp_lemmas.svh has what is of them). Of the environment: a class's
// initial alpha is at most one.
  initial assume (!rst_ni);

  `RY_ASSUME(InitialAlphaIsAtMostOne, !valid_q[4] || initial_alpha_mem[class5_q] <= One)

  // One QP, any. Of each loop: what its latest event but for the one that is just through has written.
  // A local variable of a stage's process keeps what the stage read until the next event.
  (* anyconst *) logic [QpW-1:0] the_qp;
  logic               times_known, alpha_known, rate_known;
  logic [StateW-1:0]  latest_state;
  logic [       31:0] latest_sent;
  logic [  TimeW-1:0] latest_alpha_at, latest_rate_at, latest_monitor_at;
  logic [   AlphaF:0] latest_alpha;
  logic [TargetW-1:0] latest_target;
  logic [  RateW-1:0] latest_rate;
  logic through_times, through_alpha, through_rate;
  assign through_times = valid_q[1] && qp2_q == the_qp;
  assign through_alpha = valid_q[5] && qp6_q == the_qp;
  assign through_rate  = valid_q[7] && qp8_q == the_qp;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {times_known, alpha_known, rate_known} <= '0;
    end else begin
      if (through_times) times_known <= 1'b1;
      if (through_alpha) alpha_known <= 1'b1;
      if (through_rate) rate_known <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (through_times) begin
      latest_state      <= state_last_q;
      latest_sent       <= sent_last_q;
      latest_alpha_at   <= alpha_at_last_q;
      latest_rate_at    <= rate_at_last_q;
      latest_monitor_at <= monitor_at_last_q;
    end
    if (through_alpha) latest_alpha <= alpha6_q;
    if (through_rate) begin
      latest_target <= target8_q;
      latest_rate   <= rate8_q;
    end
  end

  `RY_ASSERT(TimesAreOfTheLatestEvent, through_times && times_known,
             stage1.state == latest_state && stage1.sent == latest_sent &&
             stage1.alpha_at == latest_alpha_at && stage1.rate_at == latest_rate_at &&
             stage1.monitor_at == latest_monitor_at)
  `RY_ASSERT(AlphaIsOfTheLatestEvent, through_alpha && alpha_known, stage5.alpha == latest_alpha)
  `RY_ASSERT(RatesAreOfTheLatestEvent, through_rate && rate_known,
             stage7.target == latest_target && stage7.rate == latest_rate)

  // What carries the induction: what was read is the latest, or it is being written; so is what lies in
  // the memories.
  `RY_ASSERT(TimesWereRead, valid_q[0] && qp1_q == the_qp && !through_times && times_known,
             state_read_q == latest_state && sent_read_q == latest_sent &&
             alpha_at_read_q == latest_alpha_at && rate_at_read_q == latest_rate_at &&
             monitor_at_read_q == latest_monitor_at)
  `RY_ASSERT(AlphaWasRead, valid_q[4] && qp5_q == the_qp && !through_alpha && alpha_known,
             alpha_read_q == latest_alpha)
  `RY_ASSERT(RatesWereRead, valid_q[6] && qp7_q == the_qp && !through_rate && rate_known,
             target_read_q == latest_target && rate_read_q == latest_rate)
  `RY_ASSERT(TimesAreInMemory, through_times || times_known,
             state_mem[the_qp] == (through_times ? state_last_q : latest_state) &&
             bytes_mem[the_qp] == (through_times ? sent_last_q : latest_sent) &&
             alpha_at_mem[the_qp] == (through_times ? alpha_at_last_q : latest_alpha_at) &&
             rate_at_mem[the_qp] == (through_times ? rate_at_last_q : latest_rate_at) &&
             monitor_at_mem[the_qp] == (through_times ? monitor_at_last_q : latest_monitor_at))
  `RY_ASSERT(AlphaIsInMemory, through_alpha || alpha_known,
             alpha_mem[the_qp] == (through_alpha ? alpha6_q : latest_alpha))
  `RY_ASSERT(RatesAreInMemory, through_rate || rate_known,
             target_mem[the_qp] == (through_rate ? target8_q : latest_target) &&
             rate_mem[the_qp] == (through_rate ? rate8_q : latest_rate))

  // On the way to the rates.
  `RY_ASSERT(TheLagIsAtMostTheSum3, valid_q[2], lag3_q <= sum3_q && late_lag3_q <= late_sum3_q)
  `RY_ASSERT(TheLagIsAtMostTheSum4, valid_q[3], lag4_q <= sum4_q && late_lag4_q <= late_sum4_q)
  `RY_ASSERT(TheLagIsAtMostTheSum5, valid_q[4], lag5_q <= sum5_q && late_lag5_q <= late_sum5_q)
  `RY_ASSERT(TheLagIsAtMostTheSum6, valid_q[5], lag6_q <= sum6_q && late_lag6_q <= late_sum6_q)
  `RY_ASSERT(TheLagIsAtMostTheSum7, valid_q[6], lag7_q <= sum7_q && late_lag7_q <= late_sum7_q)

  `RY_COVER(TwoEventsOfAQpInTurn, through_times && times_known && valid_q[0] && qp1_q == the_qp)
