import JSONKit
import PushModel
import ServiceKit
import Store
import TaskKit

/// Shows the tokens and the channel of a Live Activity, and what each got last.
struct ActivityDevices: Sendable {
    /// Store requests of one page in flight.
    private static let atOnceMaximum = 16

    let registry: any Registry
    let reader: any RegistryReader
    let ledger: any Ledger
    let book: ActivityBook

    /// The endpoints behind the index, in rising order.
    func page(
        of activity: ActivityID, after: DeviceIndex?, limit: Int, in space: AppID
    ) async throws -> String {
        let clock = try await book.clock(of: activity, in: space)
        var found: [RegisteredDevice] = []
        for number in try await reader.segments(of: .topic(activity.topic), in: space) {
            guard found.count < limit else { break }
            if let after, number < after.segment { continue }
            let endpoints = try await reader.endpoints(of: activity, in: SegmentID(space, number: number))
            found += endpoints.filter { endpoint in after.map { endpoint.id.index > $0 } ?? true }
        }
        let shown = Array(found.prefix(limit))
        let states = try await states(of: shown, clock: clock, in: space)
        let users = try await users(of: shown, in: space.owner)
        return JSONText.object { json in
            let texts = shown.indices.map {
                ActivityDevices.text(of: shown[$0], user: users[$0], last: states[$0])
            }
            json.member("devices", json: "[" + texts.joined(separator: ",") + "]")
            let next = shown.count == limit ? shown.last : nil
            json.member("next", json: next.map { JSONText.quoted("\($0.id)") } ?? "null")
        }
    }

    /// For each endpoint, that of its device.
    private func users(of endpoints: [RegisteredDevice], in app: AppID) async throws -> [String?] {
        try await endpoints.concurrentMap(atOnce: ActivityDevices.atOnceMaximum) { [registry] endpoint in
            guard let id = endpoint.device.aliases[.hardware].flatMap({ DeviceID($0) }) else { return nil }
            return try await registry.device(id, in: app)?.device.aliases[.externalUser]
        }
    }

    private struct Last: Sendable {
        let task: TaskID
        let timestamp: Int64
        let state: DeliveryState
    }

    /// For each endpoint, in the newest publication that has it.
    private func states(of endpoints: [RegisteredDevice], clock: ActivityClock, in space: AppID) async throws -> [Last?]
    {
        var found: [DeviceIndex: Last] = [:]
        for publication in clock.publications.reversed() {
            let missing = endpoints.filter { found[$0.id.index] == nil }
            for (number, some) in Dictionary(grouping: missing, by: { $0.id.index.segment }) {
                let segment = SegmentID(space, number: number)
                guard let snapshot = try await ledger.states(of: publication.task, in: segment) else { continue }
                for endpoint in some {
                    guard let state = snapshot.states[endpoint.id.index.offset] else { continue }
                    found[endpoint.id.index] = Last(
                        task: publication.task, timestamp: publication.timestamp, state: state)
                }
            }
        }
        guard let current = clock.current else { return endpoints.map { found[$0.id.index] } }
        return try await endpoints.concurrentMap(atOnce: ActivityDevices.atOnceMaximum) { [ledger, found] endpoint in
            if let last = found[endpoint.id.index] { return last }
            let task = TaskID.lateState(current.stamp, for: endpoint.id)
            let segment = SegmentID(space, number: endpoint.id.index.segment)
            let state = try await ledger.states(of: task, in: segment)?.states[endpoint.id.index.offset]
            return state.map { Last(task: task, timestamp: current.timestamp, state: $0) }
        }
    }

    private static func text(of endpoint: RegisteredDevice, user: String?, last: Last?) -> String {
        JSONText.object { json in
            let device = endpoint.device
            json.member("id", "\(endpoint.id)")
            json.member("protocol", device.token.kind.name)
            json.member("token", device.token.text)
            if let id = device.aliases[.hardware] { json.member("device", id) }
            if let user { json.member("user", user) }
            json.member("environment", device.environment.rawValue)
            json.member("registered", "\(Timestamp(milliseconds: Int64(device.created) * 1_000))")
            json.member(
                "last",
                json: last.map { last in
                    JSONText.object { json in
                        json.member("task", "\(last.task)")
                        json.member("timestamp", Int(last.timestamp))
                        json.member("state", last.state.name)
                    }
                } ?? "null")
        }
    }
}
