import Bus
import JSONKit
import ServiceKit
import Store

/// Counts the refused requests for which an operator or a publisher looks: by rights, by limits, and for lack of room.
/// Mistakes in a request are not among them.
struct RefusalMeters: Sendable {
    /// The raw value is a label.
    enum Reason: String, CaseIterable {
        /// No key, an unknown one, or an address without rights.
        case unauthenticated
        /// The key lacks the scope.
        case forbidden
        /// A public key on a route that is not for public keys.
        case publicKey = "public_key"
        /// A public key that is bound to other pages.
        case foreignOrigin = "foreign_origin"
        /// A change by the console's session without its token.
        case sessionToken = "session_token"
        /// A user token that is invalid, expired or signed with another secret.
        case userToken = "user_token"
        /// A rate limit of the app or of the address.
        case rate
        /// The address asked for too many unknown devices.
        case unknownDevices = "unknown_devices"
        /// The app has the devices of its `limits.devices`.
        case deviceLimit = "device_limit"
        /// A count of an audience, while others run.
        case count
        /// Redis or the bus has no room.
        case full
    }

    private let counters: [Reason: Counter]

    init(_ metrics: Metrics) {
        counters = Dictionary(
            uniqueKeysWithValues: Reason.allCases.map {
                ($0, metrics.counter(.ingestRequestsRefused, labels: ["reason": $0.rawValue]))
            })
    }

    /// Any error of admission or of a handler.
    func note(_ error: any Error) {
        if let reason = RefusalMeters.reason(of: error) { counters[reason]?.increment() }
    }

    private static func reason(of error: any Error) -> Reason? {
        switch error {
        case let error as Gatekeeper.AccessError: reason(of: error)
        case let error as TaskError: reason(of: error)
        case let error as StoreError where error.code == .full: .full
        case let error as BusError where error.code == .full: .full
        default: nil
        }
    }

    private static func reason(of error: Gatekeeper.AccessError) -> Reason? {
        switch error {
        case .unauthenticated, .signedOut: .unauthenticated
        case .forbidden: .forbidden
        case .publicKey: .publicKey
        case .foreignOrigin: .foreignOrigin
        case .noSessionToken: .sessionToken
        case .tooManyRequests(let status): status.policy == .unknownDevices ? .unknownDevices : .rate
        case .unknownApp, .ambiguous: nil
        }
    }

    private static func reason(of error: TaskError) -> Reason? {
        switch error {
        case .access(let error): reason(of: error)
        case .counting: .count
        case .tooManyDevices: .deviceLimit
        case .invalid(let problems): problems.contains { $0.path == "user_token" } ? .userToken : nil
        case .store(let error): error.code == .full ? .full : nil
        default: nil
        }
    }
}
