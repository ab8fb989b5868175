import PushModel
import ServiceKit
import Synchronization

/// The broadcast channels of the app at the simulated Apple, changed by its server's thread and read by the admin API.
final class AppleChannels: Sendable {
    /// What Apple stores for devices that are not connected; the raw value is the policy in its API.
    enum StoragePolicy: Int64, Sendable {
        case none = 0
        case newestPush = 1
    }

    private struct Channel {
        /// In the order of creation.
        let number: Int
        let policy: StoragePolicy
        let created: Timestamp
        var broadcasts = 0
    }

    private struct State {
        var channels: [String: Channel] = [:]
        var numbers = 0
        var countMaximum: Int
        /// The capability of the app's id.
        var isEnabled = true

        var inOrder: [(key: String, value: Channel)] { channels.sorted { $0.value.number < $1.value.number } }
    }

    private static let idBytes = 1...128

    private let state: Mutex<State>
    private let random: SeededRandomSource

    init(seed: UInt64, countMaximum: Int) {
        state = Mutex(State(countMaximum: countMaximum))
        random = SeededRandomSource(seed: seed)
    }

    /// Base64 with the standard alphabet.
    static func isID(_ text: String) -> Bool {
        idBytes ~= text.utf8.count && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "+/=".utf8.contains($0) }
    }

    func checkIsEnabled() throws(AppleError) {
        guard state.withLock({ $0.isEnabled }) else { throw .featureNotEnabled }
    }

    /// Returns the new channel's id.
    func create(_ policy: StoragePolicy, now: Timestamp) throws(AppleError) -> String {
        try state.withLock { state throws(AppleError) in
            guard state.channels.count < state.countMaximum else { throw .cannotCreateChannelConfig }
            state.numbers += 1
            let id = newID()
            state.channels[id] = Channel(number: state.numbers, policy: policy, created: now)
            return id
        }
    }

    func policy(of id: String) throws(AppleError) -> StoragePolicy {
        guard let channel = state.withLock({ $0.channels[id] }) else { throw .channelNotRegistered }
        return channel.policy
    }

    func remove(_ id: String) throws(AppleError) {
        guard state.withLock({ $0.channels.removeValue(forKey: id) }) != nil else { throw .channelNotRegistered }
    }

    var ids: [String] { state.withLock { $0.inOrder.map(\.key) } }

    func countBroadcast(on id: String) {
        state.withLock { $0.channels[id]?.broadcasts += 1 }
    }

    /// Absent values stay.
    func change(countMaximum: Int?, isEnabled: Bool?) {
        state.withLock { state in
            state.countMaximum = countMaximum ?? state.countMaximum
            state.isEnabled = isEnabled ?? state.isEnabled
        }
    }

    /// `subscribers` is the number of phones by channel.
    func json(subscribers: [String: Int]) -> String {
        state.withLock { state in
            let channels = state.inOrder.map { id, channel in
                JSONText.object { json in
                    json.member("id", id)
                    json.member("message_storage_policy", Int(channel.policy.rawValue))
                    json.member("created", channel.created.description)
                    json.member("broadcasts", channel.broadcasts)
                    json.member("phones", subscribers[id] ?? 0)
                }
            }
            return JSONText.object { json in
                json.member("enabled", state.isEnabled)
                json.member("max", state.countMaximum)
                json.member("channels", json: "[" + channels.joined(separator: ",\n") + "]")
            }
        }
    }

    /// 16 random bytes.
    private func newID() -> String {
        let bytes = [random.next(), random.next()].flatMap { number in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
        }
        return String(Base64URL.encode(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }) + "=="
    }
}
