import JSONKit
import PushModel
import ServiceKit
import TestSupport
import Testing

/// Posts the tasks of a round as a careful publisher does: again with the same key, at either ingest-api, until there
/// is an answer.
struct SoakPublisher: Sendable {
    private static let attemptsMaximum = 300
    private static let pause = Duration.milliseconds(200)

    private let harness: Harness
    private let devices: SoakDevices
    private let round: String

    /// `round` is the start of the idempotency keys.
    init(_ harness: Harness, devices: SoakDevices, round: String) {
        self.harness = harness
        self.devices = devices
        self.round = round
    }

    func publish(_ orders: [SoakOrder]) async throws -> [SoakTask] {
        try await withThrowingTaskGroup(of: SoakTask.self) { group in
            for (number, order) in orders.enumerated() {
                group.addTask {
                    try await SystemTimeSource().sleep(for: order.posted)
                    return try await publish(order, key: "\(round)-\(number)")
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.posted < $1.posted }
        }
    }

    private func publish(_ order: SoakOrder, key: String) async throws -> SoakTask {
        let time = SystemTimeSource()
        let posted = time.now
        let begins = order.delay.map { posted + $0 }
        let response = try await answer(
            to: "/apps/news/v1/tasks", body: order.body(devices: devices, begins: begins),
            headers: ["Idempotency-Key: \(key)"])
        guard response.status == 201, let id = try JSON(response.body)["id"]?.text.flatMap({ TaskID($0) }) else {
            throw SetupError(description: "\(order) was not accepted: \(response.status) \(response.text)")
        }
        var task = SoakTask(id: id, order: order, posted: posted, accepted: time.now, begins: begins)
        guard let cancelledAfter = order.cancelledAfter else { return task }
        try await time.sleep(for: cancelledAfter)
        let cancel = try await answer(to: "/apps/news/v1/tasks/\(id)/cancel", body: "", headers: [])
        guard cancel.status == 202 else {
            throw SetupError(description: "\(order) cannot be cancelled: \(cancel.status) \(cancel.text)")
        }
        task.cancelled = time.now
        return task
    }

    /// The first answer that does not ask for another attempt.
    private func answer(to path: String, body: String, headers: [String]) async throws -> RawClient.Response {
        var last = "nothing"
        for attempt in 0..<SoakPublisher.attemptsMaximum {
            let ingests = harness.ingests
            let response = await ingests[attempt % ingests.count].attempt("POST", path, body: body, headers: headers)
            if let response, ![409, 429, 503].contains(response.status) { return response }
            last = response.map { "\($0.status) \($0.text)" } ?? last
            try await SystemTimeSource().sleep(for: SoakPublisher.pause)
        }
        throw SetupError(description: "POST \(path) was answered \(last)")
    }
}
