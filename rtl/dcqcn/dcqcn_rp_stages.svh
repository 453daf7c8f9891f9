// Stages 2 to 12 of dcqcn_rp: included by it. A register of stage n holds what it needs of its event.

  // ---- Stage 2: the table of the decay is read; what the increases amount to, before and after a cut
  logic [TargetW-1:0] sum3_q, sum4_q, sum5_q, sum6_q, sum7_q;
  logic [TargetW-1:0] lag3_q, lag4_q, lag5_q, lag6_q, lag7_q;
  logic [        5:0] halvings3_q, halvings4_q, halvings5_q, halvings6_q, halvings7_q;
  logic [TargetW-1:0] late_sum3_q, late_sum4_q, late_sum5_q, late_sum6_q, late_sum7_q;
  logic [TargetW-1:0] late_lag3_q, late_lag4_q, late_lag5_q, late_lag6_q, late_lag7_q;
  logic [        5:0] late_halvings3_q, late_halvings4_q, late_halvings5_q, late_halvings6_q;
  logic [        5:0] late_halvings7_q;
  logic [   AlphaF:0] low_cut3_q, high_cut3_q, low3_q, high3_q;
  logic               some_cut3_q, some3_q, none_cut3_q, none3_q;
  logic               flagged3_q, update3_q, cut3_q, first3_q, clamp3_q, open3_q;

  always_ff @(posedge clk_i) begin
    if (valid_q[1]) begin : stage2
      logic [2*TargetW+5:0] early, late;  // {sum, lag, halvings}
      early = increase_of(ai_mem[class2_q], hai_mem[class2_q], recover2_q, add2_q, grow2_q, from2_q,
                          hyper2_q, steady2_q, 1'b0, 1'b0, '0);
      late  = increase_of(ai_mem[class2_q], hai_mem[class2_q], late_recover2_q, late_add2_q, '0,
                          '0, '0, '0, byte_event2_q, byte_add2_q, byte_hyper2_q);
      sum3_q           <= early[TargetW+6 +: TargetW];
      lag3_q           <= early[6 +: TargetW];
      halvings3_q      <= early[5:0];
      late_sum3_q      <= late[TargetW+6 +: TargetW];
      late_lag3_q      <= late[6 +: TargetW];
      late_halvings3_q <= late[5:0];

      low_cut3_q  <= decay_mem[{class2_q, 1'b0, decay_cut2_q[6:0]}];
      high_cut3_q <= decay_mem[{class2_q, 1'b1, decay_cut2_q[13:7]}];
      low3_q      <= decay_mem[{class2_q, 1'b0, decay2_q[6:0]}];
      high3_q     <= decay_mem[{class2_q, 1'b1, decay2_q[13:7]}];
      some_cut3_q <= decay_cut2_q != '0;
      none_cut3_q <= decay_cut2_q[PowW];
      some3_q     <= decay2_q != '0;
      none3_q     <= decay2_q[PowW];

      qp3_q      <= qp2_q;
      class3_q   <= class2_q;
      open3_q    <= open2_q;
      flagged3_q <= flagged2_q;
      update3_q  <= update2_q;
      cut3_q     <= cut2_q;
      first3_q   <= first2_q;
      clamp3_q   <= clamp2_q;
    end
  end

  // ---- Stage 3: (1-g)^periods
  logic [AlphaF:0] power_cut4_q, power4_q;
  logic            some_cut4_q, some4_q;
  logic            flagged4_q, update4_q, cut4_q, first4_q, clamp4_q, open4_q;

  always_ff @(posedge clk_i) begin
    if (valid_q[2]) begin
      power_cut4_q <= none_cut3_q ? '0 : times(low_cut3_q, high_cut3_q);
      power4_q     <= none3_q ? '0 : times(low3_q, high3_q);
      some_cut4_q  <= some_cut3_q;
      some4_q      <= some3_q;

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
    end
  end

  // ---- Stage 4: alpha * scale + offset, at the cut and now
  logic [AlphaF:0] alpha_mem[NumQps];
  logic [AlphaF:0] alpha_read_q, scale_cut5_q, scale5_q, offset_cut5_q, offset5_q;
  logic            cut5_q, first5_q, clamp5_q, open5_q;

  always_ff @(posedge clk_i) begin
    if (valid_q[3]) begin : stage4
      logic [2*AlphaF+1:0] now, at_cut;
      now    = alphas_map(power4_q, some4_q, flagged4_q, update4_q, gain_mem[class4_q],
                          gain_ratio_mem[class4_q]);
      at_cut = update4_q && rules_mem[class4_q][1] ? now :
               alphas_map(power_cut4_q, some_cut4_q, flagged4_q, 1'b0, '0,
                          gain_ratio_mem[class4_q]);
      scale5_q      <= now[AlphaF+1 +: AlphaF+1];
      offset5_q     <= now[AlphaF:0];
      scale_cut5_q  <= at_cut[AlphaF+1 +: AlphaF+1];
      offset_cut5_q <= at_cut[AlphaF:0];
      alpha_read_q <= alpha_mem[qp4_q];

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
    end
  end

  // ---- Stage 5: alpha
  logic [AlphaF:0] alpha6_q, alpha7_q, alpha8_q, alpha9_q, alpha10_q, alpha11_q, alpha12_q;
  logic [AlphaF:0] alpha_cut6_q;
  logic            cut6_q, first6_q, clamp6_q, open6_q;

  always_ff @(posedge clk_i) begin
    if (valid_q[4]) begin : stage5
      logic [AlphaF:0] alpha, alpha_next;
      alpha        = valid_q[5] && qp6_q == qp5_q ? alpha6_q : alpha_read_q;
      alpha_cut6_q <= sum_of(times(alpha, scale_cut5_q), offset_cut5_q);
      alpha_next   = open5_q ? initial_alpha_mem[class5_q] :
                               sum_of(times(alpha, scale5_q), offset5_q);
      alpha6_q         <= alpha_next;
      alpha_mem[qp5_q] <= alpha_next;

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
    end
  end

  // ---- Stage 6: what the cut takes: alpha * 2^(10 - gd), at most 1 - min_dec_fac; UQ1.25
  logic [TargetW-1:0] target_mem[NumQps];
  logic [  RateW-1:0] rate_mem[NumQps];
  logic [TargetW-1:0] target_read_q;
  logic [  RateW-1:0] rate_read_q;
  logic [       25:0] factor7_q;
  logic               open7_q, cut7_q, first7_q, clamp7_q;

  always_ff @(posedge clk_i) begin
    if (valid_q[5]) begin : stage6
      logic [ 3:0] gd;
      logic [25:0] most;
      logic [35:0] factor;
      gd        = rules_mem[class6_q][13:10];
      most      = most_cut_mem[class6_q];
      factor    = gd > 4'd11 ? 36'(alpha_cut6_q) >> (gd - 4'd11)
                             : 36'(alpha_cut6_q) << (4'd11 - gd);
      factor7_q <= factor > 36'(most) ? most : factor[25:0];

      target_read_q <= target_mem[qp6_q];
      rate_read_q   <= rate_mem[qp6_q];

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
    end
  end

  // ---- Stage 7: the rates
  logic [TargetW-1:0] target8_q, target9_q, target10_q, target11_q, target12_q;
  logic [  RateW-1:0] rate8_q, rate9_q, rate10_q, rate11_q, rate12_q;

  always_ff @(posedge clk_i) begin
    if (valid_q[6]) begin : stage7
      logic                     same;
      logic [      TargetW-1:0] target;
      logic [        RateW-1:0] rate;
      logic [TargetW+RateW-1:0] next;  // {R_T, R_C}
      same   = valid_q[7] && qp8_q == qp7_q;
      target = same ? target8_q : target_read_q;
      rate   = same ? rate8_q : rate_read_q;
      next   = rates_of(open7_q, max_rate_mem[class7_q], min_rate_mem[class7_q],
                        first_rate_mem[class7_q], sum7_q, lag7_q, halvings7_q, cut7_q, first7_q,
                        clamp7_q, factor7_q, late_sum7_q, late_lag7_q, late_halvings7_q, target,
                        rate);
      target8_q         <= next[RateW +: TargetW];
      rate8_q           <= next[RateW-1:0];
      target_mem[qp7_q] <= next[RateW +: TargetW];
      rate_mem[qp7_q]   <= next[RateW-1:0];

      qp8_q    <= qp7_q;
      alpha8_q <= alpha7_q;
    end
  end

  // ---- Stages 8 to 12: the pacing interval
  dcqcn_rp_pace #(.RateW(RateW)) u_pace (
      .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_q[10:7]), .factor_i(pace_factor_i),
      .rate_i(rate8_q), .interval_o(out_interval_o));

  always_ff @(posedge clk_i) begin
    if (valid_q[7]) begin
      qp9_q     <= qp8_q;
      alpha9_q  <= alpha8_q;
      target9_q <= target8_q;
      rate9_q   <= rate8_q;
    end
    if (valid_q[8]) begin
      qp10_q     <= qp9_q;
      alpha10_q  <= alpha9_q;
      target10_q <= target9_q;
      rate10_q   <= rate9_q;
    end
    if (valid_q[9]) begin
      qp11_q     <= qp10_q;
      alpha11_q  <= alpha10_q;
      target11_q <= target10_q;
      rate11_q   <= rate10_q;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {qp12_q, alpha12_q, target12_q, rate12_q} <= '0;
    end else if (valid_q[10]) begin
      qp12_q     <= qp11_q;
      alpha12_q  <= alpha11_q;
      target12_q <= target11_q;
      rate12_q   <= rate11_q;
    end
  end
  assign out_valid_o  = valid_q[11];
  assign out_qp_o     = qp12_q;
  assign out_rate_o   = rate12_q;
  assign out_target_o = target12_q;
  assign out_alpha_o  = alpha12_q;
