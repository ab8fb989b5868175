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
        try take(.address(RequestLimits.payer(peer)), rate: RateBuckets.Rate(perSecond: limit, burst: limit))
    }

    /// Call once per request, when its app is known.
    func admit(_ caller: AuthorizedCaller, from peer: String) throws(Gatekeeper.AccessError) {
        guard let limit = caller.app.limits.requestsPerSecond else { return }
        let app = caller.app.id
        let name: Name =
            switch caller.kind {
            case .key(let id): .key(id, app)
            case .address, .anonymous, .wrongKey: .keyless(RequestLimits.payer(peer), app)
            }
        try take(name, rate: RateBuckets.Rate(perSecond: limit, burst: limit))
    }

    /// Call before looking up a device by id: an address over the limit must not learn of a correct guess either.
    func admitSearch(in app: AppID, from peer: String) throws(Gatekeeper.AccessError) {
        guard let rate = rateOfUnknownDevices else { return }
        let name = Name.unknownDevices(RequestLimits.payer(peer), app)
        let wait = buckets.withLock { $0.wait(for: name, rate, at: time.uptime) }
        if let wait { throw .tooManyRequests(retryAfter: wait) }
    }

    func noteUnknownDevice(in app: AppID, from peer: String) {
        guard let rate = rateOfUnknownDevices else { return }
        buckets.withLock { $0.charge(.unknownDevices(RequestLimits.payer(peer), app), rate: rate, at: time.uptime) }
    }

    private var rateOfUnknownDevices: RateBuckets<Name>.Rate? {
        settings.unknownDevicesPerSecondPerAddress.map {
            RateBuckets.Rate(perSecond: $0, burst: $0 * RequestLimits.secondsOfUnknownDevices)
        }
    }

    private func take(_ name: Name, rate: RateBuckets<Name>.Rate) throws(Gatekeeper.AccessError) {
        if let wait = buckets.withLock({ $0.take(name, rate: rate, at: time.uptime) }) {
            throw .tooManyRequests(retryAfter: wait)
        }
    }

    /// A client with one IPv6 address has a whole /64.
    private static func payer(_ peer: String) -> [UInt8] {
        guard let address = IPAddress(peer) else { return Array(peer.utf8.prefix(64)) }
        return Array(address.bytes.prefix(8))
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
