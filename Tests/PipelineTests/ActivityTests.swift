import JSONKit
import PushModel
import ServiceKit
import TestSupport
import Testing
import Topics

/// Live Activities through the whole pipeline: real services, a real Redis, a broker, and the simulated Apple.
@Suite(.timeLimit(.minutes(10))) struct ActivityTests {
    private static let phones = 6

    private static func token(_ number: Int, of kind: Character) -> String {
        String(repeating: kind, count: 72) + TestDevice.digits(number)
    }

    /// Goal: each phone is told of start, newest state and end, with rising timestamps, whatever is killed meanwhile, and
    /// each publication is reported with one outcome for each token. Method: half of the phones can start activities, the
    /// others get the fallback; between the updates each service is killed; one token comes after the last update.
    @Test(arguments: Harness.BusKind.allCases)
    func anActivityLivesFromItsStartToItsEnd(_ bus: Harness.BusKind) async throws {
        let harness = try await Harness(bus)
        let devices = try await register(harness)
        let start = try await begin(harness)
        let report = try #require(await harness.reports.report(of: start), "\(harness.lines)")
        #expect(report.targeted == Self.phones && report[.delivered] == Self.phones)
        let started = try await pushes(harness).filter { $0.event == "start" }
        #expect(started.count == Self.phones / 2)
        #expect(started.allSatisfy { $0.aps["attributes"]?["carillon"]?["activityId"] == .string("order-7") })
        #expect(Set(started.map(\.token)) == Set((0..<3).map { Self.token($0, of: "c") }))
        for number in 0..<2 { try await tell(Self.token(number, of: "d"), on: devices[number], harness) }

        var timestamps = [try #require(started.first?.timestamp)]
        for (step, service) in Harness.services.enumerated() {
            let task = try await update(step, harness)
            try await harness.killAndRestart(service)
            let report = try #require(await harness.reports.report(of: task), "\(harness.lines)")
            #expect(report.targeted == 2 && report[.delivered] == 2, "\(service): \(report)")
            let sent = try await pushes(harness).filter { $0.aps["content-state"]?["step"] == .integer(Int64(step)) }
            #expect(Set(sent.map(\.token)) == Set([Self.token(0, of: "d"), Self.token(1, of: "d")]))
            #expect(Set(sent.map(\.timestamp)).count == 1 && sent.allSatisfy { $0.priority == "5" })
            timestamps.append(try #require(sent.first?.timestamp))
        }
        #expect(timestamps == timestamps.sorted() && Set(timestamps).count == timestamps.count)

        try await tell(Self.token(2, of: "d"), on: devices[2], harness)
        try await waitUntil { try await pushes(harness).contains { $0.token == Self.token(2, of: "d") } }
        let late = try #require(try await pushes(harness).first { $0.token == Self.token(2, of: "d") })
        #expect(late.timestamp == timestamps.last && late.event == "update")

        let end = try await harness.task(
            in: harness.ingest.send(
                "POST", "/apps/news/v1/activities/order-7/end", body: #"{"content_state":{"step":99}}"#))
        let ended = try #require(await harness.reports.report(of: end), "\(harness.lines)")
        #expect(ended.targeted == 3 && ended[.delivered] == 3)
        let refused = try await harness.ingest.send(
            "PATCH", "/apps/news/v1/activities/order-7", body: #"{"content_state":{}}"#)
        #expect(refused.status == 409)
        #expect(try await states(harness) == Array(repeating: "delivered", count: 3))
        try await harness.close()
    }

    /// Goal: updates of one second are sent as one, the newest, by every `ingest-api`; none goes back. Method: two of
    /// them post at once, and the last state must be the last that was posted.
    @Test func updatesAtOnceAreMerged() async throws {
        let harness = try await Harness(.embedded, instances: ["ingest-api": 2])
        let devices = try await register(harness)
        for number in 0..<3 { try await tell(Self.token(number, of: "d"), on: devices[number], harness) }
        let clients = harness.ingests
        try await withThrowingTaskGroup(of: Void.self) { group in
            for step in 0..<20 {
                group.addTask {
                    let response = try await clients[step % 2].send(
                        "PATCH", "/apps/news/v1/activities/order-7", body: #"{"content_state":{"step":\#(step)}}"#)
                    #expect(response.status == 202, "\(response.text)")
                }
            }
            try await group.waitForAll()
        }
        let last = try await update(20, harness)
        #expect(try #require(await harness.reports.report(of: last), "\(harness.lines)")[.delivered] == 3)
        let sent = try await pushes(harness)
        for number in 0..<3 {
            let mine = sent.filter { $0.token == Self.token(number, of: "d") }
            #expect(mine.count < 21 && mine.last?.aps["content-state"]?["step"] == .integer(20))
            #expect(Set(mine.map(\.timestamp)).count == mine.count)
        }
        try await harness.close()
    }

    private struct Sent {
        let token: String
        let priority: String?
        let aps: JSON

        var event: String? { aps["event"]?.text }
        var timestamp: Int64? {
            guard case .integer(let seconds) = aps["timestamp"] else { return nil }
            return seconds
        }
    }

    /// Of Live Activities, in the order of their arrival.
    private func pushes(_ harness: Harness) async throws -> [Sent] {
        let kept = try JSON(try await harness.simulator.admin("GET", "/pushes/apns?limit=1000").body)
        return (kept.elements ?? []).compactMap { push in
            guard let aps = push["body"]?["aps"], aps["event"] != nil else { return nil }
            #expect(push["headers"]?["apns-push-type"] == .string("liveactivity"))
            let token = push["path"]?.text?.split(separator: "/").last.map(String.init) ?? ""
            return Sent(token: token, priority: push["headers"]?["apns-priority"]?.text, aps: aps)
        }.reversed()
    }

    private func register(_ harness: Harness) async throws -> [String] {
        var ids: [String] = []
        for number in 0..<Self.phones {
            let start = number < 3 ? #","push_to_start":{"Order":"\#(Self.token(number, of: "c"))"}"# : ""
            let token = Self.token(number, of: "a")
            let response = try await harness.ingest.send(
                "PUT", "/apps/news/v1/devices",
                body: #"{"protocol":"apns","token":"\#(token)","user":"ada"\#(start)}"#)
            guard response.status == 201, let id = try JSON(response.body)["id"]?.text else {
                throw SetupError(description: "no device: \(response.status) \(response.text)")
            }
            ids.append(id)
        }
        return ids
    }

    private func begin(_ harness: Harness) async throws -> TaskID {
        try await harness.task(
            in: harness.ingest.send(
                "POST", "/apps/news/v1/activities",
                body: #"""
                    {"id":"order-7","type":"Order","users":["ada"],"content_state":{"step":-1},
                     "alert":{"title":"Order"},"fallback":{"body":"Your order"}}
                    """#))
    }

    /// Repeated while no `ingest-api` applies the registry's log, as after its kill; the key makes that safe.
    private func update(_ step: Int, _ harness: Harness) async throws -> TaskID {
        let key = "Idempotency-Key: step-\(step)"
        var response: RawClient.Response
        repeat {
            response = try await harness.ingest.send(
                "PATCH", "/apps/news/v1/activities/order-7", body: #"{"content_state":{"step":\#(step)}}"#,
                headers: [key])
        } while response.status == 503 || response.status == 409
        return try harness.task(in: response)
    }

    private func tell(_ token: String, on device: String, _ harness: Harness) async throws {
        let response = try await harness.ingest.send(
            "PUT", "/apps/news/v1/devices/\(device)/activities/order-7", body: #"{"token":"\#(token)"}"#)
        #expect(response.status == 204, "\(response.text)")
    }

    private func states(_ harness: Harness) async throws -> [String] {
        let response = try await harness.ingest.send("GET", "/apps/news/v1/activities/order-7/devices")
        return try JSON(response.body)["devices"]?.elements?.compactMap { $0["last"]?["state"]?.text } ?? []
    }
}
