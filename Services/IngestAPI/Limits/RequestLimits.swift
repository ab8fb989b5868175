import Apps
import PushModel
import ServiceKit
import Synchronization

/// Rate limits of requests: by address, by key, and by requests for unknown devices. Counted per process; each process
/// applies the full limit.
final class RequestLimits: Sendable {
    struct Settings: Sendable {
        /// Nil for no limit.
        var requestsPerSecondPerAddress: Int?
        /// A device id contains a tag of 32 bits that authorizes its holder: at 20 guesses a second an address needs
        /// about seven years to find any id. Nil for no limit.
        var unknownDevicesPerSecondPerAddress: Int? = 20
    }

    private typealias Rate = RateBuckets<Name>.Rate

    private enum Name: Hashable {
        case address([UInt8])
        case key(String, AppID)
        case keyless([UInt8], AppID)
        case unknownDevices([UInt8], AppID)
    }

    /// About 100 bytes each.
    static let namesMaximum = 65_536
    /// Burst for a fleet of unregistered devices, each of which sends one request.
    private static let secondsOfUnknownDevices = 10

    private let settings: Settings
    private let time: any TimeSource
    private let buckets: Mutex<RateBuckets<Name>>

    init(_ settings: Settings = Settings(), time: any TimeSource = SystemTimeSource()) {
        self.settings = settings
        self.time = time
        buckets = Mutex(RateBuckets(namesMaximum: RequestLimits.namesMaximum))
    }

    /// Call once per request, before any other check.
    func admit(from peer: String) throws(Gatekeeper.AccessError) {
        guard let limit = settings.requestsPerSecondPerAddress else { return }
        try take(.address(RequestLimits.payer(peer)), rate: Rate(perSecond: limit, burst: limit), policy: .address)
    }

    /// Call once per request, when its app is known. Returns the state after it; nil if the app has no limit.
    @discardableResult
    func admit(
        _ kind: Access.Caller, to app: PushApp, from peer: String
    ) throws(Gatekeeper.AccessError) -> RateLimitStatus? {
        guard let limit = app.limits.requestsPerSecond else { return nil }
        return try take(
            RequestLimits.name(kind, in: app, from: peer), rate: Rate(perSecond: limit, burst: limit), policy: .app)
    }

    /// The state before the next request, which is not counted; nil if the app has no limit.
    func status(of kind: Access.Caller, in app: PushApp, from peer: String) -> RateLimitStatus? {
        guard let limit = app.limits.requestsPerSecond else { return nil }
        let rate = Rate(perSecond: limit, burst: limit)
        return status(of: RequestLimits.name(kind, in: app, from: peer), rate: rate, policy: .app)
    }

    /// Call before looking up a device by id: an address over the limit must not learn of a correct guess either.
    func admitSearch(in app: AppID, from peer: String) throws(Gatekeeper.AccessError) {
        guard let rate = rateOfUnknownDevices else { return }
        let status = status(
            of: .unknownDevices(RequestLimits.payer(peer), app), rate: rate, policy: .unknownDevices)
        if status.wait > .zero { throw .tooManyRequests(status) }
    }

    func noteUnknownDevice(in app: AppID, from peer: String) {
        guard let rate = rateOfUnknownDevices else { return }
        buckets.withLock { $0.charge(.unknownDevices(RequestLimits.payer(peer), app), rate: rate, at: time.uptime) }
    }

    private var rateOfUnknownDevices: Rate? {
        settings.unknownDevicesPerSecondPerAddress.map {
            Rate(perSecond: $0, burst: $0 * RequestLimits.secondsOfUnknownDevices)
        }
    }

    @discardableResult
    private func take(
        _ name: Name, rate: Rate, policy: RateLimitStatus.Policy
    ) throws(Gatekeeper.AccessError) -> RateLimitStatus {
        let now = time.uptime
        let (wait, level) = buckets.withLock { buckets in
            let wait = buckets.take(name, rate: rate, at: now)
            return (wait, buckets.level(of: name, rate: rate, at: now))
        }
        let status = RateLimitStatus(policy, rate: rate, level: level, wait: wait ?? .zero)
        guard wait == nil else { throw .tooManyRequests(status) }
        return status
    }

    private func status(of name: Name, rate: Rate, policy: RateLimitStatus.Policy) -> RateLimitStatus {
        let now = time.uptime
        return buckets.withLock { buckets in
            RateLimitStatus(
                policy, rate: rate, level: buckets.level(of: name, rate: rate, at: now),
                wait: buckets.wait(for: name, rate, at: now) ?? .zero)
        }
    }

    private static func name(_ kind: Access.Caller, in app: PushApp, from peer: String) -> Name {
        switch kind {
        case .key(let id): .key(id, app.id)
        case .address, .anonymous, .wrongKey: .keyless(payer(peer), app.id)
        }
    }

    /// A client with one IPv6 address has a whole /64.
    static func payer(_ peer: String) -> [UInt8] {
        guard let address = IPAddress(peer) else { return Array(peer.utf8.prefix(64)) }
        return Array(address.bytes.prefix(8))
    }
}

extension RateLimitStatus {
    fileprivate init<Name>(
        _ policy: Policy, rate: RateBuckets<Name>.Rate, level: RateBuckets<Name>.Level, wait: Duration
    ) {
        self.init(
            policy: policy, quota: rate.burst, windowSeconds: rate.burst / rate.perSecond, remaining: level.tokens,
            reset: level.untilFull, wait: wait)
    }
}

extension RequestLimits.Settings {
    init(environment: inout EnvironmentReader) {
        requestsPerSecondPerAddress = environment.limit(
            "CARILLON_INGEST_REQUESTS_PER_SECOND_PER_ADDRESS", default: 0,
            meaning:
                "Requests accepted per second from one address (IPv6: one /64), with or without a key; 0 for no limit.")
        unknownDevicesPerSecondPerAddress = environment.limit(
            "CARILLON_INGEST_UNKNOWN_DEVICES_PER_SECOND_PER_ADDRESS", default: 20,
            meaning:
                "Requests accepted per second from one address for unknown subscribers of an app; 0 for no limit."
        )
    }
}

extension EnvironmentReader {
    /// Returns nil for 0, which means no limit.
    fileprivate mutating func limit(_ name: String, default value: Int, meaning: String) -> Int? {
        let limit = integer(name, default: value, in: 0...1_000_000, meaning: meaning)
        return limit == 0 ? nil : limit
    }
}
