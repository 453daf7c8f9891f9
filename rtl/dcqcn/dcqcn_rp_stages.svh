// Stages 1 to 12 of dcqcn_rp: included by it. A register of stage n holds what it needs of its event.

  // ---- Stage 1: times and stages
  logic              open1_q, cnp1_q;
  logic [       2:0] open_class1_q;
  logic [BytesW-1:0] bytes1_q;
  logic [ TimeW-1:0] now1_q;

  // A context of times: {class, flags, byte stage, time stage}, bytes, ends of periods.
  localparam int unsigned StateW = 3 + 5 + 2 * StageW;
  logic [StateW-1:0] state_mem[NumQps];
  logic [      31:0] bytes_mem[NumQps];
  logic [ TimeW-1:0] alpha_at_mem[NumQps], rate_at_mem[NumQps], monitor_at_mem[NumQps];
  logic [StateW-1:0] state_read_q, state_last_q, state, state_next;
  logic [      31:0] sent_read_q, sent_last_q, sent, sent_next;
  logic [ TimeW-1:0] alpha_at_read_q, alpha_at_last_q, alpha_at, alpha_at_next;
  logic [ TimeW-1:0] rate_at_read_q, rate_at_last_q, rate_at, rate_at_next;
  logic [ TimeW-1:0] monitor_at_read_q, monitor_at_last_q, monitor_at, monitor_at_next;
  logic              same1;  // the event before was of this QP: its write is not in what was read
  assign same1      = valid_q[1] && qp2_q == qp1_q;
  assign state      = same1 ? state_last_q : state_read_q;
  assign sent       = same1 ? sent_last_q : sent_read_q;
  assign alpha_at   = same1 ? alpha_at_last_q : alpha_at_read_q;
  assign rate_at    = same1 ? rate_at_last_q : rate_at_read_q;
  assign monitor_at = same1 ? monitor_at_last_q : monitor_at_read_q;
  assign class1     = open1_q ? open_class1_q : state[StateW-1 -: 3];

  logic [13:0] rules1, rules4;
  assign rules1 = rules_mem[class1];
  logic unused_rules;
  assign unused_rules = &{1'b0, rules1, rules4};

  assign state_next[StateW-1 -: 3] = class1;

  logic [    PowW:0] decay_cut1, decay_cut2_q, decay1, decay2_q;
  logic              flagged1, flagged2_q, flagged3_q, flagged4_q;
  logic              update1, update2_q, update3_q, update4_q;
  logic              cut1, cut2_q, cut3_q, cut4_q, cut5_q, cut6_q, cut7_q;
  logic              first1, first2_q, first3_q, first4_q, first5_q, first6_q, first7_q;
  logic              clamp1, clamp2_q, clamp3_q, clamp4_q, clamp5_q, clamp6_q, clamp7_q;
  logic              open2_q, open3_q, open4_q, open5_q, open6_q, open7_q;
  logic [CountW-1:0] recover1, recover2_q, add1, add2_q, hyper1, hyper2_q;
  logic [StageW-1:0] grow1, grow2_q, from1, from2_q, steady1, steady2_q;
  logic [CountW-1:0] late_recover1, late_recover2_q, late_add1, late_add2_q;
  logic              byte_event1, byte_event2_q, byte_add1, byte_add2_q;
  logic [StageW-1:0] byte_hyper1, byte_hyper2_q;

  dcqcn_rp_timers #(
      .TimeW(TimeW), .StageW(StageW), .CountW(CountW), .BytesW(BytesW), .PowW(PowW)
  ) u_timers (
      .now_i(now1_q), .open_i(open1_q), .cnp_i(cnp1_q), .bytes_i(bytes1_q),
      .alpha_period_i(alpha_period_mem[class1]), .alpha_recip_i(alpha_recip_mem[class1]),
      .rate_period_i(rate_period_mem[class1]), .rate_recip_i(rate_recip_mem[class1]),
      .monitor_period_i(monitor_period_mem[class1]), .monitor_recip_i(monitor_recip_mem[class1]),
      .byte_reset_i(byte_reset_mem[class1]), .threshold_i(rules1[9:5]), .hardware_i(rules1[0]),
      .clamp_i(rules1[2]), .clamp_ati_i(rules1[3]), .fewer_halvings_i(rules1[4]),
      .flags_i(state[2*StageW +: 5]), .time_stage_i(state[StageW-1:0]),
      .byte_stage_i(state[StageW +: StageW]), .bytes_sent_i(sent), .alpha_at_i(alpha_at),
      .rate_at_i(rate_at), .monitor_at_i(monitor_at),
      .flags_o(state_next[2*StageW +: 5]), .time_stage_o(state_next[StageW-1:0]),
      .byte_stage_o(state_next[StageW +: StageW]), .bytes_sent_o(sent_next),
      .alpha_at_o(alpha_at_next), .rate_at_o(rate_at_next), .monitor_at_o(monitor_at_next),
      .decay_cut_o(decay_cut1), .decay_o(decay1), .flagged_o(flagged1), .update_o(update1),
      .cut_o(cut1), .first_o(first1), .clamp_o(clamp1), .recover_o(recover1), .add_o(add1),
      .grow_o(grow1), .from_o(from1), .hyper_o(hyper1), .steady_o(steady1),
      .late_recover_o(late_recover1), .late_add_o(late_add1), .byte_event_o(byte_event1),
      .byte_add_o(byte_add1), .byte_hyper_o(byte_hyper1));

  always_ff @(posedge clk_i) begin
    if (valid_d[0]) begin
      state_read_q      <= state_mem[qp0];
      sent_read_q       <= bytes_mem[qp0];
      alpha_at_read_q   <= alpha_at_mem[qp0];
      rate_at_read_q    <= rate_at_mem[qp0];
      monitor_at_read_q <= monitor_at_mem[qp0];
    end
    if (valid_q[0]) begin
      state_mem[qp1_q]      <= state_next;
      bytes_mem[qp1_q]      <= sent_next;
      alpha_at_mem[qp1_q]   <= alpha_at_next;
      rate_at_mem[qp1_q]    <= rate_at_next;
      monitor_at_mem[qp1_q] <= monitor_at_next;
    end
  end

  // ---- Stage 2: the table of the decay is read; what the increases amount to
  logic [TargetW-1:0] sum2, sum3_q, sum4_q, sum5_q, sum6_q, sum7_q;
  logic [TargetW-1:0] lag2, lag3_q, lag4_q, lag5_q, lag6_q, lag7_q;
  logic [        5:0] halvings2, halvings3_q, halvings4_q, halvings5_q, halvings6_q, halvings7_q;
  logic [TargetW-1:0] late_sum2, late_sum3_q, late_sum4_q, late_sum5_q, late_sum6_q, late_sum7_q;
  logic [TargetW-1:0] late_lag2, late_lag3_q, late_lag4_q, late_lag5_q, late_lag6_q, late_lag7_q;
  logic [        5:0] late_halvings2, late_halvings3_q, late_halvings4_q, late_halvings5_q;
  logic [        5:0] late_halvings6_q, late_halvings7_q;

  dcqcn_rp_increase #(
      .StageW(StageW), .CountW(CountW), .SumW(TargetW)
  ) u_increase (
      .ai_i(ai_mem[class2_q]), .hai_i(hai_mem[class2_q]), .recover_i(recover2_q), .add_i(add2_q),
      .grow_i(grow2_q), .from_i(from2_q), .hyper_i(hyper2_q), .steady_i(steady2_q),
      .byte_event_i(1'b0), .byte_add_i(1'b0), .byte_hyper_i('0), .sum_o(sum2), .lag_o(lag2),
      .halvings_o(halvings2));
  dcqcn_rp_increase #(
      .StageW(StageW), .CountW(CountW), .SumW(TargetW)
  ) u_late_increase (
      .ai_i(ai_mem[class2_q]), .hai_i(hai_mem[class2_q]), .recover_i(late_recover2_q),
      .add_i(late_add2_q), .grow_i('0), .from_i('0), .hyper_i('0), .steady_i('0),
      .byte_event_i(byte_event2_q), .byte_add_i(byte_add2_q), .byte_hyper_i(byte_hyper2_q),
      .sum_o(late_sum2), .lag_o(late_lag2), .halvings_o(late_halvings2));

  logic [AlphaF:0] low_cut3_q, high_cut3_q, low3_q, high3_q;
  logic            some_cut3_q, some3_q, none_cut3_q, none3_q;
  always_ff @(posedge clk_i) begin
    if (valid_q[1]) begin
      low_cut3_q  <= decay_mem[{class2_q, 1'b0, decay_cut2_q[6:0]}];
      high_cut3_q <= decay_mem[{class2_q, 1'b1, decay_cut2_q[13:7]}];
      low3_q      <= decay_mem[{class2_q, 1'b0, decay2_q[6:0]}];
      high3_q     <= decay_mem[{class2_q, 1'b1, decay2_q[13:7]}];
    end
  end

  // ---- Stage 3: (1-g)^periods
  logic [AlphaF:0] power_cut4_q, power4_q;
  logic            some_cut4_q, some4_q;

  // ---- Stage 4: alpha * scale + offset, at the cut and now
  logic [AlphaF:0] scale_cut4, scale4, offset_cut4, offset4;
  logic [AlphaF:0] scale_cut5_q, scale5_q, offset_cut5_q, offset5_q, gain4, ratio4;
  assign rules4 = rules_mem[class4_q];
  assign gain4  = gain_mem[class4_q];
  assign ratio4 = gain_ratio_mem[class4_q];
  always_comb begin
    scale4  = update4_q ? times(power4_q, One - gain4) : power4_q;
    offset4 = update4_q ? gain4 : flagged4_q && some4_q ? times(power4_q, ratio4) : '0;
    if (update4_q && rules4[1]) begin
      scale_cut4  = scale4;
      offset_cut4 = offset4;
    end else begin
      scale_cut4  = power_cut4_q;
      offset_cut4 = flagged4_q && some_cut4_q ? times(power_cut4_q, ratio4) : '0;
    end
  end

  // ---- Stage 5: alpha
  logic [AlphaF:0] alpha_mem[NumQps];
  logic [AlphaF:0] alpha_read_q, alpha6_q, alpha, alpha_cut, alpha_next, alpha_cut6_q;
  logic [AlphaF:0] alpha7_q, alpha8_q, alpha9_q, alpha10_q, alpha11_q, alpha12_q;
  assign alpha      = valid_q[5] && qp6_q == qp5_q ? alpha6_q : alpha_read_q;
  assign alpha_cut  = sum_of(times(alpha, scale_cut5_q), offset_cut5_q);
  assign alpha_next = open5_q ? initial_alpha_mem[class5_q] :
                      sum_of(times(alpha, scale5_q), offset5_q);
  always_ff @(posedge clk_i) begin
    if (valid_q[3]) alpha_read_q <= alpha_mem[qp4_q];
    if (valid_q[4]) alpha_mem[qp5_q] <= alpha_next;
  end

  // ---- Stage 6: what the cut takes: alpha * 2^(10 - gd), at most 1 - min_dec_fac; UQ1.25
  logic [35:0] factor6;
  logic [25:0] factor7_q, most_cut6;
  logic [ 3:0] gd6;
  assign gd6       = rules_mem[class6_q][13:10];
  assign most_cut6 = most_cut_mem[class6_q];
  assign factor6   = gd6 > 4'd11 ? 36'(alpha_cut6_q) >> (gd6 - 4'd11)
                                 : 36'(alpha_cut6_q) << (4'd11 - gd6);

  // ---- Stage 7: the rates
  logic [TargetW-1:0] target_mem[NumQps];
  logic [  RateW-1:0] rate_mem[NumQps];
  logic [TargetW-1:0] target_read_q, target7, target_next, target8_q, target9_q, target10_q;
  logic [TargetW-1:0] target11_q, target12_q;
  logic [  RateW-1:0] rate_read_q, rate7, rate_next, rate8_q, rate9_q, rate10_q, rate11_q, rate12_q;
  logic [  RateW-1:0] max_rate7, min_rate7;
  logic               same7;
  assign max_rate7 = max_rate_mem[class7_q];
  assign min_rate7 = min_rate_mem[class7_q];
  assign same7   = valid_q[7] && qp8_q == qp7_q;
  assign target7 = same7 ? target8_q : target_read_q;
  assign rate7   = same7 ? rate8_q : rate_read_q;
  dcqcn_rp_rate #(.RateW(RateW), .TargetW(TargetW)) u_rate (
      .open_i(open7_q), .max_rate_i(max_rate7), .min_rate_i(min_rate7),
      .first_rate_i(first_rate_mem[class7_q]), .sum_i(sum7_q), .lag_i(lag7_q),
      .halvings_i(halvings7_q), .cut_i(cut7_q), .first_i(first7_q), .clamp_i(clamp7_q),
      .factor_i(factor7_q), .late_sum_i(late_sum7_q), .late_lag_i(late_lag7_q),
      .late_halvings_i(late_halvings7_q), .target_i(target7), .rate_i(rate7),
      .target_o(target_next), .rate_o(rate_next));
  always_ff @(posedge clk_i) begin
    if (valid_q[5]) begin
      target_read_q <= target_mem[qp6_q];
      rate_read_q   <= rate_mem[qp6_q];
    end
    if (valid_q[6]) begin
      target_mem[qp7_q] <= target_next;
      rate_mem[qp7_q]   <= rate_next;
    end
  end

  // ---- Stages 8 to 12: the pacing interval
  dcqcn_rp_pace #(.RateW(RateW)) u_pace (
      .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_q[10:7]), .factor_i(pace_factor_i),
      .rate_i(rate8_q), .interval_o(out_interval_o));
  assign out_valid_o  = valid_q[11];
  assign out_qp_o     = qp12_q;
  assign out_rate_o   = rate12_q;
  assign out_target_o = target12_q;
  assign out_alpha_o  = alpha12_q;

  // ---- From stage to stage. These mean something while the stage's bit of valid_q is set.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {qp1_q, open1_q, open_class1_q, cnp1_q, bytes1_q, now1_q} <= '0;
      {qp2_q, class2_q, open2_q, state_last_q, sent_last_q, alpha_at_last_q, rate_at_last_q,
       monitor_at_last_q, decay_cut2_q, decay2_q, recover2_q, add2_q, hyper2_q, grow2_q, from2_q,
       steady2_q, late_recover2_q, late_add2_q, byte_event2_q, byte_add2_q, byte_hyper2_q,
       flagged2_q, update2_q, cut2_q, first2_q, clamp2_q} <= '0;
      {qp3_q, class3_q, open3_q, flagged3_q, update3_q, cut3_q, first3_q, clamp3_q, sum3_q, lag3_q,
       halvings3_q, late_sum3_q, late_lag3_q, late_halvings3_q, some_cut3_q, none_cut3_q, some3_q,
       none3_q} <= '0;
      {qp4_q, class4_q, open4_q, flagged4_q, update4_q, cut4_q, first4_q, clamp4_q, sum4_q, lag4_q,
       halvings4_q, late_sum4_q, late_lag4_q, late_halvings4_q, some_cut4_q, power_cut4_q, some4_q,
       power4_q} <= '0;
      {qp5_q, class5_q, open5_q, cut5_q, first5_q, clamp5_q, sum5_q, lag5_q, halvings5_q,
       late_sum5_q, late_lag5_q, late_halvings5_q, scale_cut5_q, offset_cut5_q, scale5_q,
       offset5_q} <= '0;
      {qp6_q, class6_q, open6_q, cut6_q, first6_q, clamp6_q, sum6_q, lag6_q, halvings6_q,
       late_sum6_q, late_lag6_q, late_halvings6_q, alpha6_q, alpha_cut6_q} <= '0;
      {qp7_q, class7_q, open7_q, cut7_q, first7_q, clamp7_q, sum7_q, lag7_q, halvings7_q,
       late_sum7_q, late_lag7_q, late_halvings7_q, alpha7_q, factor7_q} <= '0;
      {qp8_q, alpha8_q, target8_q, rate8_q} <= '0;
      {qp9_q, alpha9_q, target9_q, rate9_q} <= '0;
      {qp10_q, alpha10_q, target10_q, rate10_q} <= '0;
      {qp11_q, alpha11_q, target11_q, rate11_q} <= '0;
      {qp12_q, alpha12_q, target12_q, rate12_q} <= '0;
    end else begin
      if (valid_d[0]) begin
        qp1_q         <= qp0;
        open1_q       <= take_tx && tx_open_i;
        open_class1_q <= tx_class_i;
        cnp1_q        <= !take_tx;
        bytes1_q      <= tx_bytes_i;
        now1_q        <= now_i;
      end
      if (valid_d[1]) begin
        qp2_q             <= qp1_q;
        class2_q          <= class1;
        open2_q           <= open1_q;
        state_last_q      <= state_next;
        sent_last_q       <= sent_next;
        alpha_at_last_q   <= alpha_at_next;
        rate_at_last_q    <= rate_at_next;
        monitor_at_last_q <= monitor_at_next;
        decay_cut2_q      <= decay_cut1;
        decay2_q          <= decay1;
        recover2_q        <= recover1;
        add2_q            <= add1;
        hyper2_q          <= hyper1;
        grow2_q           <= grow1;
        from2_q           <= from1;
        steady2_q         <= steady1;
        late_recover2_q   <= late_recover1;
        late_add2_q       <= late_add1;
        byte_event2_q     <= byte_event1;
        byte_add2_q       <= byte_add1;
        byte_hyper2_q     <= byte_hyper1;
        flagged2_q        <= flagged1;
        update2_q         <= update1;
        cut2_q            <= cut1;
        first2_q          <= first1;
        clamp2_q          <= clamp1;
      end
      if (valid_d[2]) begin
        qp3_q            <= qp2_q;
        class3_q         <= class2_q;
        open3_q          <= open2_q;
        flagged3_q       <= flagged2_q;
        update3_q        <= update2_q;
        cut3_q           <= cut2_q;
        first3_q         <= first2_q;
        clamp3_q         <= clamp2_q;
        sum3_q           <= sum2;
        lag3_q           <= lag2;
        halvings3_q      <= halvings2;
        late_sum3_q      <= late_sum2;
        late_lag3_q      <= late_lag2;
        late_halvings3_q <= late_halvings2;
        some_cut3_q      <= decay_cut2_q != '0;
        none_cut3_q      <= decay_cut2_q[PowW];
        some3_q          <= decay2_q != '0;
        none3_q          <= decay2_q[PowW];
      end
      if (valid_d[3]) begin
        qp4_q            <= qp3_q;
        class4_q         <= class3_q;
        open4_q          <= open3_q;
        flagged4_q       <= flagged3_q;
        update4_q        <= update3_q;
        cut4_q           <= cut3_q;
        first4_q         <= first3_q;
        clamp4_q         <= clamp3_q;
        sum4_q           <= sum3_q;
        lag4_q           <= lag3_q;
        halvings4_q      <= halvings3_q;
        late_sum4_q      <= late_sum3_q;
        late_lag4_q      <= late_lag3_q;
        late_halvings4_q <= late_halvings3_q;
        some_cut4_q      <= some_cut3_q;
        power_cut4_q     <= none_cut3_q ? '0 : times(low_cut3_q, high_cut3_q);
        some4_q          <= some3_q;
        power4_q         <= none3_q ? '0 : times(low3_q, high3_q);
      end
      if (valid_d[4]) begin
        qp5_q            <= qp4_q;
        class5_q         <= class4_q;
        open5_q          <= open4_q;
        cut5_q           <= cut4_q;
        first5_q         <= first4_q;
        clamp5_q         <= clamp4_q;
        sum5_q           <= sum4_q;
        lag5_q           <= lag4_q;
        halvings5_q      <= halvings4_q;
        late_sum5_q      <= late_sum4_q;
        late_lag5_q      <= late_lag4_q;
        late_halvings5_q <= late_halvings4_q;
        scale_cut5_q     <= scale_cut4;
        offset_cut5_q    <= offset_cut4;
        scale5_q         <= scale4;
        offset5_q        <= offset4;
      end
      if (valid_d[5]) begin
        qp6_q            <= qp5_q;
        class6_q         <= class5_q;
        open6_q          <= open5_q;
        cut6_q           <= cut5_q;
        first6_q         <= first5_q;
        clamp6_q         <= clamp5_q;
        sum6_q           <= sum5_q;
        lag6_q           <= lag5_q;
        halvings6_q      <= halvings5_q;
        late_sum6_q      <= late_sum5_q;
        late_lag6_q      <= late_lag5_q;
        late_halvings6_q <= late_halvings5_q;
        alpha6_q         <= alpha_next;
        alpha_cut6_q     <= alpha_cut;
      end
      if (valid_d[6]) begin
        qp7_q            <= qp6_q;
        class7_q         <= class6_q;
        open7_q          <= open6_q;
        cut7_q           <= cut6_q;
        first7_q         <= first6_q;
        clamp7_q         <= clamp6_q;
        sum7_q           <= sum6_q;
        lag7_q           <= lag6_q;
        halvings7_q      <= halvings6_q;
        late_sum7_q      <= late_sum6_q;
        late_lag7_q      <= late_lag6_q;
        late_halvings7_q <= late_halvings6_q;
        alpha7_q         <= alpha6_q;
        factor7_q        <= factor6 > 36'(most_cut6) ? most_cut6 : factor6[25:0];
      end
      if (valid_d[7]) begin
        qp8_q     <= qp7_q;
        alpha8_q  <= alpha7_q;
        target8_q <= target_next;
        rate8_q   <= rate_next;
      end
      if (valid_d[8]) begin
        qp9_q     <= qp8_q;
        alpha9_q  <= alpha8_q;
        target9_q <= target8_q;
        rate9_q   <= rate8_q;
      end
      if (valid_d[9]) begin
        qp10_q     <= qp9_q;
        alpha10_q  <= alpha9_q;
        target10_q <= target9_q;
        rate10_q   <= rate9_q;
      end
      if (valid_d[10]) begin
        qp11_q     <= qp10_q;
        alpha11_q  <= alpha10_q;
        target11_q <= target10_q;
        rate11_q   <= rate10_q;
      end
      if (valid_d[11]) begin
        qp12_q     <= qp11_q;
        alpha12_q  <= alpha11_q;
        target12_q <= target11_q;
        rate12_q   <= rate11_q;
      end
    end
  end
