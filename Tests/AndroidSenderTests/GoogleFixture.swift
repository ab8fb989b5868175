import HTTP2
import HTTPClient
import ProviderKit
import PushModel
import RedisClient
import RedisStore
import ServiceKit
import Signing
import TestSupport

@testable import AndroidSender
@testable import Apps

/// Google on loopback, a Redis for its quota, and gateways made as in the service.
final class GoogleFixture: Sendable {
    let google: FakeProvider
    let redisServer: RedisServer
    let account: [UInt8]
    private let app: AppID
    private let time: any TimeSource
    private let redis: RedisClient
    private let pool: HTTP2Pool
    private let client: HTTPClient
    private let configuration: FCMConfiguration

    init(
        time: any TimeSource = SystemTimeSource(), adjust: (inout FCMConfiguration) -> Void = { _ in },
        onToken: (@Sendable (Int) -> HTTP2Answer)? = nil,
        onPush: @escaping FakeProvider.Handler = { _ in .json(200, body: #"{"name":"projects/p/messages/1"}"#) }
    ) async throws {
        google = try await FakeProvider(onToken: onToken, onPush: onPush)
        app = try AppID("bells")
        self.time = time
        redisServer = try await RedisServer(.forStores)
        redis = RedisClient(try RedisConfiguration(url: redisServer.url), log: quietLog, metrics: Metrics())
        var configuration = FCMConfiguration()
        configuration.endpoint = HTTP2Endpoint(host: "localhost", port: google.server.port)
        configuration.authorityFile = google.authority.authorityFile
        adjust(&configuration)
        self.configuration = configuration
        pool = HTTP2Pool(configuration.endpoint, configuration: configuration.pool, log: quietLog, metrics: Metrics())
        client = HTTPClient(configuration: configuration.tokenClient, log: quietLog, metrics: Metrics())
        account = try GoogleFixture.account(tokenURL: "\(google.url)/token")
    }

    func gateway(project: String = "bells", account: [UInt8]? = nil) -> any PushGateway {
        let provider = FCMProvider(
            configuration: configuration, pool: pool, accessTokens: AccessTokens(client: client),
            store: StoreConnection(redis), tokenLimit: .seconds(30), time: time, random: SystemRandomSource(),
            log: quietLog)
        let credentials = FCMCredentials(
            serviceAccountFile: KeyFile(field: "service_account_file", path: "keys/fcm.json"), project: project)
        return provider.gateway(credentials, content: account ?? self.account, of: app)
    }

    func end() async {
        await pool.close(within: .zero)
        await client.close(within: .zero)
        await redis.close(within: .zero)
        await google.server.close()
        await redisServer.stop()
    }

    /// Made once, since the search for its prime numbers takes longer than most tests.
    private static let key = Result { try SigningKey.generated(for: .rs256).privateKeyText() }

    static func account(tokenURL: String) throws -> [UInt8] {
        let key = try key.get().reveal()
        let text = JSONText.object { object in
            object.member("type", "service_account")
            object.member("project_id", "bells")
            object.member("private_key_id", "key-7")
            object.member("private_key", key)
            object.member("client_email", "ringer@bells.example")
            object.member("token_uri", tokenURL)
        }
        return Array(text.utf8)
    }
}

/// Runs the body with Google on loopback, and stops everything afterwards.
func withGoogle(_ fixture: GoogleFixture, body: (GoogleFixture) async throws -> Void) async throws {
    try await withCleanup({ await fixture.end() }) { try await body(fixture) }
}
