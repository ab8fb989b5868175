import JSONKit
import ServiceKit
import TestSupport
import Testing

/// Runs the commands of `docs/upgrading.md` unchanged, with a running Redis.
@Suite(.timeLimit(.minutes(5))) struct BackupTests {
    /// Goal: a backup made while everything runs restores the data of that moment. Method: one device registered before
    /// the backup and one after it, then a Redis that has lost its folder.
    @Test func aCopyMadeWhileRunningBringsDevicesBack() async throws {
        let page = try #require(SourceTree.text("docs/upgrading.md"))
        let blocks = MarkdownCode.blocks("sh", inPage: page)
        let backup = try #require(blocks.first { $0.contains("redis-check-aof") })
        let restore = try #require(blocks.first { $0.hasPrefix("rm -rf carillon-data/redis") })
        var options = RedisServer.Options.forStores
        options.isDurable = true
        let redis = try await RedisServer(options)
        let home = TemporaryDirectory("backup")
        try await run("mkdir carillon-data; ln -s \(redis.directory.path) carillon-data/redis", in: home, redis: redis)

        let api = try await IngestProcess(redis: redis.url)
        let kept = try await register(SampleTokens.apns, at: api)
        let output = try await run(backup, in: home, redis: redis)
        #expect(output.contains { $0.contains("All AOF files and manifest are valid") }, "\(output)")
        let late = try await register(String(SampleTokens.apns.reversed()), at: api)

        await api.kill9()
        await redis.kill9()
        try await run(restore, in: home, redis: redis)
        try await redis.restart()
        let restored = try await IngestProcess(redis: redis.url)
        #expect(try await restored.curl("GET", "/subscriber/\(kept)").status == 200)
        #expect(try await restored.curl("GET", "/subscriber/\(late)").status == 404)
        #expect(await restored.stop() == .exited(0))
    }

    private func register(_ token: String, at api: IngestProcess) async throws -> String {
        let answer = try await api.curl("POST", "/subscribers", body: "proto=apns&token=\(token)")
        return try #require(answer.json["id"]?.text, "\(answer)")
    }

    @discardableResult
    private func run(_ commands: String, in home: TemporaryDirectory, redis: RedisServer) async throws -> [String] {
        let shell = try ChildProcess(
            "sh", arguments: ["-euc", "cd \(home.path); REDIS_PORT=\(redis.port)\n\(commands)"])
        await shell.line { _ in false }
        let ending = await shell.end()
        try #require(ending == .exited(0), "\(shell.lines)")
        return shell.lines
    }
}
