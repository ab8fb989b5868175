import Apps
import Bus
import HTTPServer
import JSONKit
import PushModel
import ServiceKit
import Topics

/// `/v1/receipts`.
struct ReceiptRoutes: Sendable {
    static let receiptsMaximum = ReceiptBatch.receiptsMaximum
    /// Several times what that many receipts take.
    static let bodyBytesMaximum = 512 << 10

    private let producer: any BusProducer
    private let room: StoreRoom
    private let reading: BodyReading
    private let time: any TimeSource
    private let meters: ReceiptMeters

    init(_ access: TaskAccess, reading: BodyReading, environment: WorkerEnvironment) {
        producer = access.producer
        room = access.room
        self.reading = reading
        time = environment.time
        meters = ReceiptMeters(environment.metrics)
    }

    /// Answers when the accepted receipts are durable. A repeat of the request is counted once.
    @Sendable func create(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        let now = time.now
        let checked = try await check(call, at: now)
        try await send(checked, of: call.app, at: now, trace: call.request.traceContext)
        meters.note(checked)
        return .json(checked.text, status: .accepted)
    }

    private func check(_ call: AuthorizedRequest, at now: Timestamp) async throws -> CheckedReceipts {
        let key = call.caller.app.receiptKey
        return try await reading.readJSON(call.request, account: call.caller.account) { fields in
            let elements = fields.elements(
                "receipts", countMinimum: 1, countMaximum: ReceiptRoutes.receiptsMaximum, isRequired: true)
            fields.rejectUnknown()
            return CheckedReceipts(elements, check: ReceiptCheck(key: key, now: now))
        }
    }

    /// Receipts make way for everything else: they are refused first when the store fills up.
    private func send(
        _ receipts: CheckedReceipts, of app: AppID, at now: Timestamp, trace: TraceContext?
    ) async throws {
        let batches = receipts.batches(of: app, at: now)
        guard !batches.isEmpty else { return }
        if room.isFull(for: .registering) { meters.note(unsent: receipts.proven.count, because: .full) }
        try room.check(.registering)
        do throws(BusError) {
            try await producer.send(batches.map { Topics.receipts.message($0, key: $0.key, trace: trace) })
        } catch {
            meters.note(unsent: receipts.proven.count, because: error.code == .full ? .full : .unavailable)
            guard error.isRetriable || error.code == .closed else { throw error }
            throw TaskError.receiptsNotDurable("\(error)")
        }
    }
}
