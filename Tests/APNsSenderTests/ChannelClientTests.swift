import Apps
import Bus
import HTTP2
import ProviderKit
import PushModel
import ServiceKit
import TestSupport
import Testing

@testable import APNsSender

/// The management of channels against the rules of the simulated Apple.
@Suite(.timeLimit(.minutes(3))) struct ChannelClientTests {
    private let simulator: SimulatorProcess
    private let account: APNsAccount
    private let client: ChannelClient

    init() async throws {
        simulator = try await SimulatorProcess()
        let time = SystemTimeSource()
        let environment = WorkerEnvironment(
            time: time, random: SystemRandomSource(), log: Log(service: "test", level: .error), metrics: Metrics(),
            health: Health(time: time))
        var configuration = APNsConfiguration()
        let apple = HTTP2Endpoint(host: "localhost", port: UInt16(simulator.port("apns")))
        configuration.productionChannels = apple
        configuration.sandboxChannels = apple
        configuration.authorityFile = simulator.text("ca_file")
        let key = KeyFile(field: "key_file", path: simulator.text("apns", "key_file"))
        account = APNsAccount(
            .token(
                keyFile: key, keyID: simulator.text("apns", "key_id"), teamID: simulator.text("apns", "team_id")),
            configuration: configuration, resources: APNsResources(environment))
        client = ChannelClient(topic: simulator.text("apns", "topic"), account: account)
    }

    private func token() async throws -> BearerToken? { try await account.tokens?.token() }

    private func close() async {
        await account.close()
        _ = await simulator.stop()
    }

    private func create() async throws -> PushToken? {
        guard case .done(let id) = await client.create(in: .production, token: try await token()) else { return nil }
        return id
    }

    private func refusal() async throws -> ProviderAnswer? {
        guard case .refused(let answer) = await client.create(in: .production, token: try await token()) else {
            return nil
        }
        return answer
    }

    private func list() async throws -> [String]? {
        guard case .done(let ids) = await client.list(in: .production, token: try await token()) else { return nil }
        return ids
    }

    private func delete(_ id: PushToken) async throws -> Bool {
        guard case .done = await client.delete(id, in: .production, token: try await token()) else { return false }
        return true
    }

    @Test func channelsAreMadeListedAndDeleted() async throws {
        #expect(try await list() == [])
        let (first, second) = (try #require(try await create()), try #require(try await create()))
        #expect(try await list() == [first.text, second.text])
        #expect(try await delete(first))
        #expect(try await list() == [second.text])
        // Another sender may have deleted it.
        #expect(try await delete(first))
        await close()
    }

    @Test func refusalsAreTold() async throws {
        let admin = simulator
        #expect(try await admin.admin("POST", "/channels", body: #"{"max":0}"#).status == 204)
        let full = try #require(try await refusal())
        #expect(full.reason == "CannotCreateChannelConfig" && full.verdict == .payloadRejected)
        #expect(try await admin.admin("POST", "/channels", body: #"{"enabled":false}"#).status == 204)
        let disabled = try #require(try await refusal())
        #expect(disabled.reason == "FeatureNotEnabled" && disabled.verdict == .payloadRejected)
        let other = ChannelClient(topic: "com.example.elsewhere", account: account)
        guard case .refused(let mismatch) = await other.create(in: .production, token: try await token()) else {
            Issue.record("a channel of another app was made")
            return await close()
        }
        #expect(mismatch.status == 403 && mismatch.reason == "TopicMismatch")
        await close()
    }
}
