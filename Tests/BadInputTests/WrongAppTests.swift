import Glibc
import TestSupport
import Testing

/// The app files become invalid in several ways while services run: each service reports the problem, keeps running,
/// and reports when it is fixed.
@Suite(.timeLimit(.minutes(5))) struct WrongAppTests {
    private static let app = #"""
        {"providers":{"apns":{"key_file":"AuthKey.p8","key_id":"ABCDE12345","team_id":"TEAM000000","topic":"com.example"}}}
        """#

    @Test func servicesFollowTheFolderUntilItIsRight() async throws {
        var options = RedisServer.Options.forStores
        options.isDurable = true
        let server = try await RedisServer(options)
        let home = TemporaryDirectory("home")
        let keys = TemporaryDirectory("keys")
        _ = try await OpenSSLCommand.makeKey("AuthKey.p8", options: OpenSSLCommand.p256, in: keys)
        let services = try StartedService.appReaders.map {
            try StartedService($0, settings: ["CARILLON_BUS": server.url, "CARILLON_APPS": home.file("apps")])
        }
        try await services.each {
            try await $0.expectReadiness(200, texts: "cannot be read: No such file", "CARILLON_APPS")
        }

        #expect(mkdir(home.file("apps"), 0o755) == 0)
        home.write("apps/news.json", content: "{\n  \"providers\": ")
        try await services.each { try await $0.expectReadiness(200, texts: "news.json: line 2") }

        home.write("apps/news.json", content: #"{"provider":{}}"#)
        try await services.each {
            try await $0.expectReadiness(200, texts: "provider: unknown field; did you mean provider")
        }

        // Only the sender that uses the key reads its file.
        let sender = try #require(services.first { $0.name == "apns-sender" })
        home.write("apps/news.json", content: Self.app)
        try await sender.expectReadiness(
            200, texts: "providers.apns.key_file: ", "AuthKey.p8 cannot be read: No such file")
        try await services.each {
            if $0.name != sender.name { try await $0.expectReadiness(200, texts: #"{"status":"ok"}"#) }
        }

        home.write("apps/AuthKey.p8", content: "no key")
        try await sender.expectReadiness(200, texts: "AuthKey.p8", "holds no key")

        #expect(rename(keys.file("AuthKey.p8"), home.file("apps/AuthKey.p8")) == 0)
        try await services.each { try await $0.expectReadiness(200, texts: #"{"status":"ok"}"#) }
        #expect(await sender.prints("app file problem resolved", "holds no key"))
        try await services.each { await $0.stop() }
    }
}
