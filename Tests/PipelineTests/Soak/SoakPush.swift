import JSONKit
import PushModel
import ServiceKit
import TestSupport

/// A push to one device that the provider simulator accepted.
struct SoakPush: Sendable {
    private static let limits = JSONLimits(
        bytesMaximum: 256 << 20, valuesMaximum: 20_000_000, containersMaximum: 2_000_000)

    let task: TaskID
    let device: Int
    let time: Timestamp
    let provider: String
    /// Number of the connection on which it came; each belongs to one process.
    let connection: Int64

    /// Those since the statistics were reset, the first one of each provider first.
    static func all(of harness: Harness) async throws -> [SoakPush] {
        var pushes: [SoakPush] = []
        for provider in Harness.providers {
            let answer = try await harness.simulator.admin("GET", "/pushes/\(provider)?limit=100000")
            let kept = try (try JSON(answer.body, limits: limits).elements ?? []).reversed().flatMap {
                try read($0, provider: provider)
            }
            let accepted = try await harness.sum("accepted", providers: [provider])
            guard kept.count == accepted else {
                throw SetupError(description: "\(provider) keeps \(kept.count) pushes of \(accepted)")
            }
            pushes += kept
        }
        return pushes
    }

    private static func read(_ push: JSON, provider: String) throws -> [SoakPush] {
        guard let time = push["received"]?.text.flatMap({ Timestamp(rfc3339: $0) }),
            case .integer(let connection) = push["connection"], let body = push["body"],
            let task = try task(in: body, provider: provider)
        else { throw SetupError(description: "\(provider) got \(push)") }
        return tokens(of: push, body: body, provider: provider).map { token in
            SoakPush(
                task: task, device: SoakDevices.number(ofToken: token), time: time, provider: provider,
                connection: connection)
        }
    }

    private static func task(in body: JSON, provider: String) throws -> TaskID? {
        let data: JSON? =
            switch provider {
            case "apns": body
            case "fcm": body["message"]?["data"]
            default: try body["message"]?["data"]?.text.map { try JSON($0) }
            }
        return data?["task_id"]?.text.flatMap { TaskID($0) }
    }

    private static func tokens(of push: JSON, body: JSON, provider: String) -> [String] {
        switch provider {
        case "apns": push["path"]?.text.map { [$0] } ?? []
        case "fcm": body["message"]?["token"]?.text.map { [$0] } ?? []
        default: (body["message"]?["token"]?.elements ?? []).compactMap(\.text)
        }
    }
}
