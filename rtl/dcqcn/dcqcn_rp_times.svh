// Stage 1 of dcqcn_rp, which time decides: which periods have ended since the QP's latest event, in
// which phase of the increase they fall, and whether there is a cut.
//
// Phases of `n` events of the timer, while the byte counter's stage stands: fast recovery, additive
// increase, hyper increase with a step that grows (until the byte counter's stage is the smaller
// one), hyper increase with a step that stays.
  localparam logic [StageW-1:0] LastStage = '1;

  function automatic logic [CountW-1:0] count_of(input logic [PeriodW-1:0] n);
    count_of = n[PeriodW-1:CountW] != '0 ? '1 : n[CountW-1:0];
  endfunction
  function automatic logic [PowW:0] decay_of(input logic [PeriodW-1:0] n);
    decay_of = n[PeriodW-1:PowW] != '0 ? {1'b1, {PowW{1'b0}}} : {1'b0, n[PowW-1:0]};
  endfunction
  // a - b, or zero.
  function automatic logic [CountW-1:0] above(input logic [CountW-1:0] a,
                                              input logic [CountW-1:0] b);
    above = a > b ? a - b : '0;
  endfunction
  function automatic logic [CountW-1:0] least(input logic [CountW-1:0] a,
                                              input logic [CountW-1:0] b);
    least = a < b ? a : b;
  endfunction
  function automatic logic [StageW-1:0] stage_of(input logic [StageW-1:0] stage,
                                                 input logic [CountW-1:0] n);
    logic [CountW:0] sum;
    sum = (CountW + 1)'(stage) + (CountW + 1)'(n);
    stage_of = sum > (CountW + 1)'(LastStage) ? LastStage : sum[StageW-1:0];
  endfunction

  logic              open1_q, cnp1_q;
  logic [       2:0] open_class1_q;
  logic [BytesW-1:0] bytes1_q;
  logic [ TimeW-1:0] now1_q;

  // A context of times: {class, flags, byte stage, time stage}, bytes, ends of periods. Flags: {seen,
  // alpha flag, cut flag, raised by bytes, raised by time}.
  localparam int unsigned StateW = 3 + 5 + 2 * StageW;
  logic [StateW-1:0] state_mem[NumQps];
  logic [      31:0] bytes_mem[NumQps];
  logic [ TimeW-1:0] alpha_at_mem[NumQps], rate_at_mem[NumQps], monitor_at_mem[NumQps];
  logic [StateW-1:0] state_read_q, state_last_q;
  logic [      31:0] sent_read_q, sent_last_q;
  logic [ TimeW-1:0] alpha_at_read_q, alpha_at_last_q, rate_at_read_q, rate_at_last_q;
  logic [ TimeW-1:0] monitor_at_read_q, monitor_at_last_q;

  // What alpha and the rates have to do.
  logic [    PowW:0] decay_cut2_q;   // periods of alpha until the cut
  logic [    PowW:0] decay2_q;       // and until now
  logic              flagged2_q;     // a CNP's flag stood at the first of them
  logic              update2_q;      // a CNP updates alpha now
  logic              cut2_q;
  logic              first2_q;       // by the first CNP
  logic              clamp2_q;       // the cut sets R_T = R_C
  logic [CountW-1:0] recover2_q;     // before the cut, fast recovery
  logic [CountW-1:0] add2_q;         // additive
  logic [StageW-1:0] grow2_q;        // hyper, with steps from2_q + 1, from2_q + 2, ...
  logic [StageW-1:0] from2_q;
  logic [CountW-1:0] hyper2_q;       // hyper, with the step steady2_q
  logic [StageW-1:0] steady2_q;
  logic [CountW-1:0] late_recover2_q, late_add2_q;  // after the cut
  logic              byte_event2_q;  // last, the byte counter's event
  logic              byte_add2_q;    // it is not fast recovery
  logic [StageW-1:0] byte_hyper2_q;  // its step, if hyper
  logic              open2_q;

  always_ff @(posedge clk_i) begin
    if (valid_d[0]) begin
      qp1_q             <= qp0;
      open1_q           <= take_tx && tx_open_i;
      open_class1_q     <= tx_class_i;
      cnp1_q            <= take_cnp;
      bytes1_q          <= tx_bytes_i;
      now1_q            <= now_i;
      state_read_q      <= state_mem[qp0];
      sent_read_q       <= bytes_mem[qp0];
      alpha_at_read_q   <= alpha_at_mem[qp0];
      rate_at_read_q    <= rate_at_mem[qp0];
      monitor_at_read_q <= monitor_at_mem[qp0];
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_q[0]) begin : stage1
      logic               same;  // the event before was of this QP: its write is not in what was read
      logic [ StateW-1:0] state, state_next;
      logic [       31:0] sent, sent_now, sent_next;
      logic [  TimeW-1:0] alpha_at, rate_at, monitor_at, cut_at, until_cut;
      logic [  TimeW-1:0] alpha_at_next, rate_at_next, monitor_at_next;
      logic [        2:0] traffic_class;
      logic [        4:0] flags, flags_next;
      logic               seen, hardware, late_cut, now_cut, byte_event;
      logic [2*PeriodW-1:0] monitors, early, after, decays;  // {count, rest}
      logic [  PeriodW-1:0] decays_cut;
      logic [ CountW-1:0] n, threshold, halvings, time_stage, byte_stage, slow, hyper, at_hyper;
      logic [ CountW-1:0] recover, grow, late, late_recover;
      logic [ StageW-1:0] time_stage_next, byte_stage_next, next_byte_stage;
      logic [       32:0] sent_sum;
      same          = valid_q[1] && qp2_q == qp1_q;
      state         = same ? state_last_q : state_read_q;
      sent          = same ? sent_last_q : sent_read_q;
      alpha_at      = same ? alpha_at_last_q : alpha_at_read_q;
      rate_at       = same ? rate_at_last_q : rate_at_read_q;
      monitor_at    = same ? monitor_at_last_q : monitor_at_read_q;
      traffic_class = open1_q ? open_class1_q : state[StateW-1 -: 3];
      flags         = state[2*StageW +: 5];
      seen          = flags[4];
      hardware      = rules_mem[traffic_class][0];

      // Periods. The cut by a flag is at the first end of a monitor period after the flag was set.
      monitors = periods_of(now1_q - monitor_at, monitor_period_mem[traffic_class],
                            monitor_recip_mem[traffic_class]);
      decays   = periods_of(now1_q - alpha_at, alpha_period_mem[traffic_class],
                            alpha_recip_mem[traffic_class]);
      late_cut   = hardware && seen && flags[2] && monitors[2*PeriodW-1:PeriodW] != '0;
      cut_at     = monitor_at + TimeW'(monitor_period_mem[traffic_class]);
      until_cut  = late_cut ? cut_at : now1_q;
      early      = periods_of(until_cut - rate_at, rate_period_mem[traffic_class],
                              rate_recip_mem[traffic_class]);
      after      = early;
      decays_cut = decays[2*PeriodW-1:PeriodW];
      if (late_cut) begin
        after      = periods_of(now1_q - cut_at, rate_period_mem[traffic_class],
                                rate_recip_mem[traffic_class]);
        decays_cut = PeriodW'(periods_of(cut_at - alpha_at, alpha_period_mem[traffic_class],
                                         alpha_recip_mem[traffic_class]) >> PeriodW);
      end

      // Phases before the cut.
      n          = seen ? count_of(early[2*PeriodW-1:PeriodW]) : '0;
      threshold  = CountW'(rules_mem[traffic_class][9:5]);
      halvings   = threshold - CountW'(rules_mem[traffic_class][4]);
      time_stage = CountW'(state[StageW-1:0]);
      byte_stage = CountW'(state[StageW +: StageW]);
      slow       = byte_stage > threshold ? least(n, above(threshold, time_stage)) : n;
      hyper      = n - slow;
      at_hyper   = time_stage > threshold ? time_stage : threshold;
      recover    = byte_stage > halvings ? '0 : least(n, above(halvings, time_stage));
      grow       = least(hyper, above(byte_stage, at_hyper));

      // After it: the stages are zero, so there is no hyper increase.
      late         = late_cut ? count_of(after[2*PeriodW-1:PeriodW]) : '0;
      late_recover = least(late, halvings);

      // The event itself.
      time_stage_next = late_cut ? stage_of('0, late) : stage_of(state[StageW-1:0], n);
      byte_stage_next = late_cut ? '0 : state[StageW +: StageW];
      sent_now        = late_cut ? '0 : sent;
      now_cut         = cnp1_q && (!hardware || !seen);
      sent_sum        = 33'(sent_now) + 33'(bytes1_q);
      next_byte_stage = stage_of(byte_stage_next, CountW'(1));
      byte_event      = seen && !cnp1_q && !open1_q &&
                        sent_sum >= 33'(byte_reset_mem[traffic_class]);

      decay_cut2_q    <= seen ? decay_of(decays_cut) : '0;
      decay2_q        <= seen ? decay_of(decays[2*PeriodW-1:PeriodW]) : '0;
      flagged2_q      <= hardware && flags[3];
      update2_q       <= cnp1_q && !hardware;
      cut2_q          <= late_cut || now_cut;
      first2_q        <= cnp1_q && !seen;
      clamp2_q        <= rules_mem[traffic_class][2] || flags[1] ||
                         (rules_mem[traffic_class][3] && (flags[0] || n != '0));
      recover2_q      <= recover;
      add2_q          <= slow - recover;
      grow2_q         <= StageW'(grow);
      from2_q         <= StageW'(at_hyper - threshold);
      hyper2_q        <= hyper - grow;
      steady2_q       <= StageW'(above(byte_stage, threshold));
      late_recover2_q <= late_recover;
      late_add2_q     <= late - late_recover;
      byte_event2_q   <= byte_event;
      byte_add2_q     <= CountW'(next_byte_stage) > halvings ||
                         CountW'(time_stage_next) > halvings;
      byte_hyper2_q   <= StageW'(least(above(CountW'(next_byte_stage), threshold),
                                       above(CountW'(time_stage_next), threshold)));
      qp2_q           <= qp1_q;
      class2_q        <= traffic_class;
      open2_q         <= open1_q;

      // The context that it leaves.
      flags_next = {seen, flags[3] && decays[2*PeriodW-1:PeriodW] == '0, flags[2] && !late_cut,
                    !late_cut && flags[1], late_cut ? late != '0 : flags[0] || n != '0};
      sent_next  = sent_now;
      alpha_at_next   = now1_q - TimeW'(decays[PeriodW-1:0]);
      rate_at_next    = now1_q - TimeW'(after[PeriodW-1:0]);
      monitor_at_next = now1_q - TimeW'(monitors[PeriodW-1:0]);
      if (open1_q || !seen || now_cut) begin
        flags_next      = {cnp1_q && !open1_q, 4'b0000};
        time_stage_next = '0;
        byte_stage_next = '0;
        sent_next       = '0;
        alpha_at_next   = now1_q;
        rate_at_next    = now1_q;
        monitor_at_next = now1_q;
      end else if (cnp1_q) begin
        flags_next[3:2] = 2'b11;
      end else begin
        sent_next = sent_sum[31:0];
        if (byte_event) begin
          byte_stage_next = next_byte_stage;
          sent_next       = sent_sum[31:0] - byte_reset_mem[traffic_class];
          flags_next[1]   = 1'b1;
        end
      end
      state_next            = {traffic_class, flags_next, byte_stage_next, time_stage_next};
      state_mem[qp1_q]      <= state_next;
      bytes_mem[qp1_q]      <= sent_next;
      alpha_at_mem[qp1_q]   <= alpha_at_next;
      rate_at_mem[qp1_q]    <= rate_at_next;
      monitor_at_mem[qp1_q] <= monitor_at_next;
      state_last_q          <= state_next;
      sent_last_q           <= sent_next;
      alpha_at_last_q       <= alpha_at_next;
      rate_at_last_q        <= rate_at_next;
      monitor_at_last_q     <= monitor_at_next;
    end
  end
