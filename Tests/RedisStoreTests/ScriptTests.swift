import PushModel
import RedisClient
import ServiceHarness
import TestSupport
import Testing

@testable import RedisStore

/// The scripts and the constants in front of them.
@Suite(.timeLimit(.minutes(3))) struct ScriptTests {
    private static let scripts = ledger + registry + others

    private static let ledger = [
        LedgerScripts.mark, LedgerScripts.claim, LedgerScripts.renew, LedgerScripts.settle, LedgerScripts.noteReported,
        LedgerScripts.defer,
        LedgerScripts.readDetail, LedgerScripts.cancel, LedgerScripts.expire, LedgerScripts.close, LedgerScripts.plan,
        LedgerScripts.begin, LedgerScripts.resolve, LedgerScripts.isResolved,
        LedgerScripts.enter, LedgerScripts.enterToCancel, LedgerScripts.finish, LedgerScripts.beginRestoring,
        LedgerScripts.enterToRestore, LedgerScripts.restore, LedgerScripts.endRestoring,
    ]

    private static let registry = [
        RegistryScripts.commit, RegistryScripts.commitShrinking, RegistryScripts.createDevices,
        RegistryScripts.applyLogged,
        RegistryScripts.countPublications, RegistryScripts.readCounts, RegistryScripts.forgetChanges,
        RegistryScripts.finishPurge, RegistryScripts.readDevice,
        RegistryScripts.readAudience,
        RegistryScripts.readAudiences, RegistryScripts.readFields, RegistryScripts.reserveGroup,
        RegistryScripts.releaseGroup, RegistryScripts.reserveTransfer,
        RegistryScripts.listActivities, RegistryScripts.replaceField,
        RegistryScripts.countFailure, RegistryScripts.countDevices, RegistryScripts.allocate,
        RegistryScripts.createSegment,
        RegistryScripts.hasNoMember, RegistryScripts.oldMarks, RegistryScripts.dropMark,
        RegistryScripts.createRegistry, RegistryScripts.setRegistryField, RegistryScripts.clear,
        RegistryScripts.createApp, RegistryScripts.countSegment, RegistryScripts.closeSegment,
        RegistryScripts.openSegments, RegistryScripts.numberTopics, RegistryScripts.noteBuckets,
        RegistryScripts.beginBucket, RegistryScripts.confirmBucket, RegistryScripts.lookUp, RegistryScripts.reserve,
        RegistryScripts.exchange, RegistryScripts.enterAlias, RegistryScripts.leaveAlias, RegistryScripts.createTopic,
        RegistryScripts.dropTopic, RegistryScripts.enterSegment, RegistryScripts.readSegments,
        RegistryScripts.leaveSegment,
    ]

    private static let others = [
        MessageStartsScripts.open, MessageStartsScripts.begin, MessageStartsScripts.end, MessageStartsScripts.giveBack,
        MessageStartsScripts.close, PacingScripts.reserve, PacingScripts.take, ProviderOutageScripts.read,
        ProviderOutageScripts.extend,
        ProviderOutageScripts.probe, ProviderOutageScripts.giveBackProbe, ProviderOutageScripts.nominate,
        RedisFailingServers.note, RedisFailingServers.read,
        RetryIndexScripts.add, RetryIndexScripts.lease, RetryIndexScripts.complete, RetryIndexScripts.giveBack,
        RetryIndexScripts.outlook, RateBucket.script, RedisWitness.raise, RedisWitness.read, RedisWitness.raiseFormat,
        RedisWitness.endDoubt,
        RedisTaskAgenda.change,
        RedisTaskAgenda.take, RedisTaskArchive.raise, RedisTaskArchive.settle,
        RedisTaskReceipts.count,
        RedisIdempotencyStore.begin, RedisIdempotencyStore.finish, RedisIdempotencyStore.release,
        RedisIdempotencyStore.forget, RedisTaskReplacements.set, RedisTaskReplacements.take,
        RedisTaskReplacements.finish, StatisticsScripts.fold, RedisDeviceTasks.enter, RedisStateOutbox.append,
        RedisStateOutbox.take, RedisStateOutbox.freeze, RedisStateOutbox.finish, RedisStateOutbox.postpone,
        RedisStateOutbox.clear, RedisUserMoments.enter, RedisUserMoments.leave, RedisUserMoments.begin,
        RedisUserOpens.replace,
    ]

    /// Goal: every script compiles in Redis, with its libraries. Method: the list has as many scripts as there are
    /// files that begin with flags.
    @Test func everyScriptLoads() async throws {
        #expect(ScriptTests.scripts.count == SourceTree.luaScripts(under: "Shared/RedisStore").count)
        let digests = try await RedisServer(.forStores).load(ScriptTests.scripts)
        #expect(digests == ScriptTests.scripts.map(\.sha1))
    }

    @Test func statesAreNumberedAsInSwift() {
        let lines = DeliveryState.allCases.map { "local STATE_\($0.name.uppercased()) = \($0.rawValue)\n" }
        #expect(ScriptConstants.states.lines == lines.joined())
        #expect(lines.contains("local STATE_INVALID_REMOVED = 7\n"))
    }

    @Test func flagsAreNumberedAsInSwift() {
        #expect(
            ScriptConstants.ledgerFlags.lines == """
                local FLAG_CANCELLED = 1
                local FLAG_CLOSED = 2
                local FLAG_FAST = 4
                local FLAG_AT_MOST_ONCE = 8
                local FLAG_DENSE = 16
                local FLAG_REPORTED = 32

                """)
    }

    /// A claim is answered with a code or with the state in which the device ended.
    @Test func codesOfAClaimAreNoTerminalState() {
        for code in ClaimReplyCode.allCases {
            #expect(DeliveryState(rawValue: code.rawValue)?.isTerminal != true, "\(code)")
        }
    }

    @Test func theLinterKnowsEveryConstant() throws {
        let settings = try #require(SourceTree.text(".luacheckrc"))
        let names = ScriptConstants.all.flatMap { $0.values.map { $0.name } }
        #expect(Set(names).count == names.count)
        for name in names { #expect(settings.contains("\"\(name)\""), "\(name)") }
    }
}
