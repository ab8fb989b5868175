package import Bus
import JSONKit
import Topics

/// Reads `results` as the reporter does, deduplicating by id.
package struct ResultReader {
    /// The result of one device.
    package struct Ending: Hashable, Sendable {
        package let provider: String
        package let state: String
        /// The provider's status; zero without an answer.
        package let status: Int64
        package let reason: String
    }

    private let reader: ChannelReader
    /// Results by their id, which names task and device.
    package private(set) var endings: [String: Ending] = [:]
    /// Number of duplicate results.
    package private(set) var repeated = 0

    package init(_ bus: any Bus) async throws {
        reader = try await ChannelReader(bus, channel: Topics.results.channel)
    }

    /// Returns the number of devices in this state.
    package func count(_ state: String, provider: String? = nil) -> Int {
        endings.values.count { $0.state == state && (provider ?? $0.provider) == $0.provider }
    }

    /// Reads until `count` devices have a result; false when no more come. The last message may add more than `count`.
    package mutating func read(_ count: Int, within limit: Duration = .hangLimit) async throws -> Bool {
        try await reader.read(within: limit, until: { endings.count >= count }) { try take($0.value) }
    }

    package func close() async {
        await reader.close()
    }

    private mutating func take(_ bytes: [UInt8]) throws {
        for result in try JSON(bytes)["results"]?.elements ?? [] {
            guard let id = result["id"]?.text, let state = result["state"]?.text,
                case .integer(let status) = result["status"]
            else { continue }
            if endings[id] != nil { repeated += 1 }
            endings[id] = Ending(
                provider: result["provider"]?.text ?? "", state: state, status: status,
                reason: result["reason"]?.text ?? "")
        }
    }
}
