import PushModel
import TaskModel

@testable import Apps
@testable import IngestAPI

/// The app of a history, and the rights of the key of its publisher.
struct SimulatedApp: Sendable {
    static let richieID = "example-news"
    static let appMetricaID = "12345"
    static let contextPushID = "com.example.news"
    static let pushwooshID = "NEWS0-00001"
    static let timeToLive = Duration.seconds(3_600)
    private static let scopes: Set<Scope> = [.publish, .broadcast, .register, .read, .admin]

    let access: Access

    init(_ settings: AppSettings) throws {
        let app = settings.app(try AppID("news"))
        access = Access(caller: .key("k1"), grants: [Access.Grant(app: app, scopes: SimulatedApp.scopes)])
    }

    func caller() throws -> AuthorizedCaller {
        try AuthorizedCaller(access, for: [.broadcast]) { access.choose(nil, scope: $0) }
    }
}
