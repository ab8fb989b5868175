/// Requests made from the input; their CPU time is bounded. Sanitizers change memory use, so `CostTests` measures
/// memory in a build without them.
enum CostTarget {
    private static let bytesMaximum = 16 << 10

    static func run(_ bytes: [UInt8]) throws {
        var input = FuzzInput(bytes)
        guard let request = HostileRequest(&input, bytesMaximum: bytesMaximum) else { return }
        let body = request.bytes
        let cost = Cost(cpu: CostMeter.cpu { request.operation.work(on: body) }, bytes: 0)
        let excess = cost.excess(for: body.count)
        try FuzzError.check(excess == nil, message: "\(request) \(excess ?? "")")
    }
}
