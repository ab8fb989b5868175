import Apps
import ProviderKit
import PushModel
import ServiceKit
import Topics

/// The gateways of all apps: one for each app and provider, made on first use and again when the app's credentials
/// change.
actor AndroidGateways: GatewayDirectory {
    /// The credentials of a gateway.
    enum Credentials: Sendable, Equatable {
        case fcm(FCMCredentials)
        case huawei(HuaweiCredentials)

        var file: KeyFile {
            switch self {
            case .fcm(let credentials): credentials.serviceAccountFile
            case .huawei(let credentials): credentials.clientSecretFile
            }
        }
    }

    typealias Make = @Sendable (AppID, Credentials, [UInt8]?) async -> any PushGateway

    private struct Key: Hashable {
        let app: AppID
        let kind: PushProtocol
    }

    private struct Entry {
        let credentials: Credentials
        /// The file's content; nil if it could not be read.
        let content: [UInt8]?
        let gateway: any PushGateway
        var readAt: Duration
    }

    /// How soon a replaced or fixed file is noticed.
    private static let readInterval = Duration.seconds(30)
    private let app: @Sendable (AppID) -> PushApp?
    private let make: Make
    private let time: any TimeSource
    private var entries: [Key: Entry] = [:]
    private var readings: [Key: Task<Entry, Never>] = [:]

    init(
        time: any TimeSource, app: @escaping @Sendable (AppID) -> PushApp?, make: @escaping Make
    ) {
        self.app = app
        self.make = make
        self.time = time
    }

    func gateway(for id: AppID, _ kind: PushProtocol) async -> GatewayLookup {
        let key = Key(app: id, kind: kind)
        let app = app(id)
        guard let credentials = credentials(of: app, kind) else {
            entries[key] = nil
            return app == nil ? .unknownApp : .noProvider
        }
        return .found(await gateway(for: key, with: credentials))
    }

    private func gateway(for key: Key, with credentials: Credentials) async -> any PushGateway {
        let known = entries[key].flatMap { $0.credentials == credentials ? $0 : nil }
        if let known, time.uptime - known.readAt < AndroidGateways.readInterval { return known.gateway }
        if let reading = readings[key] { return await reading.value.gateway }
        let reading = Task { await read(key.app, credentials: credentials, known: known) }
        readings[key] = reading
        let entry = await reading.value
        readings[key] = nil
        entries[key] = entry
        return entry.gateway
    }

    /// Keeps the gateway and its state unless the content of the file has changed.
    private func read(_ app: AppID, credentials: Credentials, known: Entry?) async -> Entry {
        let path = credentials.file.path
        let content = await onNativeThread("credentials") {
            SmallFile.read(path, bytesMaximum: ServiceAccount.bytesMaximum)
        }
        if var known, known.content == content {
            known.readAt = time.uptime
            return known
        }
        let gateway = await make(app, credentials, content)
        return Entry(credentials: credentials, content: content, gateway: gateway, readAt: time.uptime)
    }

    private func credentials(of app: PushApp?, _ kind: PushProtocol) -> Credentials? {
        switch kind {
        case .fcm: app?.providers.fcm.map { .fcm($0) }
        case .huawei: app?.providers.huawei.map { .huawei($0) }
        case .apns, .webpush, .wns, .mpns, .http: nil
        }
    }
}

/// Replaces the gateway of an app whose credentials cannot be used.
struct BrokenGateway: PushGateway {
    let reason: String

    func admit(_ count: Int, lane: Lane) -> Admission { .halted(reason: reason) }

    func giveBack(_ count: Int) {}

    func send(_ pushes: [Push]) -> [PushOutcome] { pushes.map { _ in .notSent(reason) } }
}
