import RedisClient
import ServiceHarness
import TestSupport
import Testing

@testable import RedisBus

@Suite(.timeLimit(.minutes(3))) struct RedisBusScriptTests {
    private static let scripts = [
        RedisBusScripts.appendForward, RedisBusScripts.appendDraining, RedisBusScripts.partitionCount,
        RedisBusScripts.beat, RedisBusScripts.enrol, RedisBusScripts.acquire, RedisBusScripts.renew,
        RedisBusScripts.release, RedisBusScripts.advance,
    ]

    /// Goal: every script compiles in Redis, with its libraries. Method: the list has as many scripts as there are
    /// files that begin with flags.
    @Test func everyScriptLoads() async throws {
        #expect(RedisBusScriptTests.scripts.count == SourceTree.luaScripts(under: "Shared/RedisBus").count)
        let digests = try await RedisServer().load(RedisBusScriptTests.scripts)
        #expect(digests == RedisBusScriptTests.scripts.map(\.sha1))
    }

    @Test func theLinterKnowsEveryConstant() throws {
        let settings = try #require(SourceTree.text(".luacheckrc"))
        #expect(
            ScriptConstants.tenureReplies.lines
                == "local TENURE_OVER = 0\nlocal TENURE_TAKEN = -1\nlocal TENURE_REWRITTEN = -2\n")
        for (name, _) in ScriptConstants.tenureReplies.values { #expect(settings.contains("\"\(name)\""), "\(name)") }
    }
}
