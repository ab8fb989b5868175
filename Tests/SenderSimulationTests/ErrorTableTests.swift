import PushModel
import RedisStore
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

/// Every row of the providers' error tables, from the HTTP answer to the device's outcome.
@Suite(.timeLimit(.minutes(4))) struct ErrorTableTests {
    private static let shortLimits = [
        "CARILLON_APNS_REQUEST_LIMIT": "5s", "CARILLON_FCM_REQUEST_LIMIT": "5s", "CARILLON_HUAWEI_REQUEST_LIMIT": "5s",
        "CARILLON_WEBPUSH_REQUEST_LIMIT": "5s", "CARILLON_WNS_REQUEST_LIMIT": "5s",
        "CARILLON_MPNS_REQUEST_LIMIT": "5s", "CARILLON_HTTP_PUSH_REQUEST_LIMIT": "5s",
    ]

    /// Goal: each provider answer leads to the outcome of the policy, in results or retries and in the ledger. Method:
    /// each row has its own app, so that a row that halts or throttles its app affects no other, and one push with that
    /// answer. When the senders have stopped, every delivery in progress is settled.
    @Test(arguments: PushProtocol.ofDevices) func everyAnswerMeansWhatThePolicySays(
        _ kind: PushProtocol
    ) async throws {
        let rows = AnswerRow.rows(kind)
        try await withHarness(apps: rows.indices.map { "row\($0)" }) { harness in
            var reader = OutcomeReader(
                results: try await ResultReader(harness.bus), retries: try await RetryReader(harness.bus))
            var shipments: [(AnswerRow, Shipment)] = []
            // On a loaded machine the limit that shortens the wait for no answer would end other requests too.
            for isUnanswered in [false, true] {
                let settings = isUnanswered ? ErrorTableTests.shortLimits : [:]
                let sender = try await harness.start(DispatchFamily(kind).program, settings: settings)
                for (number, row) in rows.enumerated() where row.isUnanswered == isUnanswered {
                    var shipment = try row.shipment(kind, number: number, harness: harness)
                    try await harness.subscribe(&shipment)
                    try await row.prepare(kind, simulator: harness.simulator)
                    try await reader.expect(row, of: shipment) { try await harness.dispatch(shipment) }
                    shipments.append((row, shipment))
                }
                #expect(await sender.stop() == .exited(0))
            }
            await reader.close()
            for (row, shipment) in shipments {
                let states = try await harness.ledger.states(of: shipment.task, in: shipment.marks[0].segment)
                #expect(states?.states[0] == row.state, "\(row)")
                guard case .answer(_, let reason?, _) = row.cause, row.isReported else { continue }
                let detail = try await harness.ledger.detail(
                    of: 0, task: shipment.task, in: shipment.marks[0].segment)
                #expect(detail?.reason == reason, "\(row)")
            }
        }
    }
}

/// Reads a sender's outcomes, both results and retries.
private struct OutcomeReader {
    var results: ResultReader
    var retries: RetryReader

    mutating func expect(_ row: AnswerRow, of shipment: Shipment, dispatch: () async throws -> Void) async throws {
        let before = SystemTimeSource().now
        try await dispatch()
        switch row.fate {
        case .ended(let state):
            let count = results.endings.count + shipment.count
            let isThere = try await results.read(count)
            try #require(isThere, "\(row) did not end")
            let ending = results.endings[shipment.resultID(0)]
            #expect(ending?.state == state.name, "\(row)")
            if case .answer(let status, let reason, _) = row.cause {
                #expect(ending?.status == Int64(status), "\(row)")
                if let reason, state != .delivered { #expect(ending?.reason == reason, "\(row)") }
            }
        case .waits(let attempt, let seconds, let jitter):
            let read = try await retries.order(of: shipment.task)
            let order = try #require(read, "\(row) is not handed back")
            #expect(order.attempt == attempt, "\(row)")
            // Plus rounding up to the next whole second.
            let earliest = before.milliseconds + Int64(seconds) * 1_000
            let latest = SystemTimeSource().now.milliseconds + Int64(seconds + jitter) * 1_000 + 1_000
            #expect(earliest...latest ~= order.due, "\(row) waits \(order.due - before.milliseconds) ms")
        }
    }

    func close() async {
        await results.close()
        await retries.close()
    }
}

extension DispatchFamily {
    var program: String {
        switch self {
        case .apple: "apns-sender"
        case .android: "android-sender"
        case .web: "web-sender"
        }
    }
}

extension AnswerRow {
    /// True if the outcome is that of a request whose limit passes.
    var isUnanswered: Bool {
        guard case .token(let beginning) = cause else { return false }
        return ["c0de0003", "stall"].contains(beginning)
    }

    var state: DeliveryState {
        guard case .ended(let state) = fate else { return .waiting }
        return state
    }

    /// True if the ledger stores the reason: it does not for delivered or unsent pushes.
    var isReported: Bool {
        switch fate {
        case .ended(let state): state != .delivered
        case .waits(let attempt, _, _): attempt > 0
        }
    }

    /// The row's device, and its companion if any, in their own task and app.
    func shipment(_ kind: PushProtocol, number: Int, harness: SenderHarness) throws -> Shipment {
        var trouble = ""
        if case .token(let beginning) = cause { trouble = beginning }
        let tokens = try harness.tokens(kind, numbers: number..<(number + 1), trouble: trouble)
        let companions = hasCompanion ? try harness.tokens(kind, numbers: number..<(number + 1)) : []
        var shipment = Shipment(try AppID("row\(number)"), task: UInt64(number + 1), tokens: tokens + companions)
        if case .message(let renderer) = cause { shipment.renderer = renderer }
        shipment.isAtMostOnce = isAtMostOnce
        if isNewer { shipment.addressees[0].device.updated = .max }
        return shipment
    }

    /// Sets the simulator's next answer.
    func prepare(_ kind: PushProtocol, simulator: SimulatorProcess) async throws {
        let (status, reason, retryAfter, endpoint): (Int, String?, Int?, String)
        switch cause {
        case .answer(let given, let why, let after):
            (status, reason, retryAfter, endpoint) = (given, why, after, "send")
        case .tokenAnswer(let given, let why): (status, reason, retryAfter, endpoint) = (given, why, nil, "token")
        case .token, .message: return
        }
        let fault = JSONText.object { json in
            json.member("provider", kind.name)
            json.member("kind", "answer")
            json.member("endpoint", endpoint)
            json.member("next", 1)
            json.member("status", status)
            if let reason { json.member("reason", reason) }
            if let retryAfter { json.member("retry_after", retryAfter) }
        }
        try await simulator.order("/faults", body: fault)
    }
}
