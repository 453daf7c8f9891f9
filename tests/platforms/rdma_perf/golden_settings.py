"""Shipped configurations made short: a capture of all their bytes would be large."""

FEW = {'iterations': 20, 'expect': '[]'}
SHORT = {
    'completions_64b.yaml': FEW,
    'congestion.yaml': FEW,
    'ideal.yaml': FEW,
    'latency.yaml': {**FEW, 'sizes': '[2B, 256B, 4KiB]'},
    'latency_400g.yaml': FEW,
    'latency_read.yaml': FEW,
    'leaf_spine.yaml': FEW,
    'many_qps.yaml': {**FEW, 'iterations': 4, 'depth': 4, 'qps': 1200},
    'message_rate.yaml': {**FEW, 'iterations': 200, 'sizes': '[2B, 1KiB, 64KiB]'},
    'policy.yaml': FEW,
    'rdma_perf.yaml': {**FEW, 'sizes': '[64B, 4KiB, 64KiB]'},
    'read.yaml': FEW,
    'send.yaml': FEW,
    'slow_receiver.yaml': {**FEW, 'iterations': 100},
}
