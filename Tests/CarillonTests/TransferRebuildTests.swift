import Bus
import CommandKit
import KafkaBus
import PushModel
import RedisClient
import RedisStore
import RegistryLog
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

@testable import Carillon

/// Groups and transfers are in the registry log: the command restores them.
@Suite(.timeLimit(.minutes(3))) struct TransferRebuildTests {
    @Test func aRebuildRestoresGroupsAndTransfers() async throws {
        let kafka = try await KafkaMockServer(brokers: 1)
        for channel in Topics.all.flatMap(\.channels) { try await kafka.perform("create topic \(channel.name) 1") }
        let bus = try KafkaBus(try KafkaConfiguration(url: kafka.url), environment: TestEnvironment.real.forWorkers)
        let producer = try await bus.makeProducer(ProducerOptions())
        let app = try AppID("news")
        let group = TransferGroup(id: 7, name: "news é", rate: 300, isArchived: true)
        let transfer = Transfer(
            id: 1 << 52, group: 7, clientID: 5, tag: "spring", created: SystemTimeSource().now,
            fingerprint: [UInt8](repeating: 7, count: TransferBounds.fingerprintBytes),
            tasks: [TaskID(high: 1, low: 2)], isAccepted: true)
        let removed = Transfer(
            id: 9, group: 7, clientID: 6, tag: "", created: transfer.created, fingerprint: transfer.fingerprint)
        for content in [
            .group(TransferGroup(id: 7, name: "old", rate: 100)), .group(group),
            .transfer(transfer.id, TransferRecord(transfer, isFirst: false)),
            .transfer(9, TransferRecord(removed, isFirst: true)), .transfer(9, nil),
        ] as [RegistryChange.Content] {
            let change = RegistryChange(app: app, index: RegistryChange.ofApp, content)
            try await producer.send([RegistryRecord(change).message])
        }
        await producer.close()
        await bus.close()
        let redis = try await RedisServer(.forStores)
        let terminal = RecordedTerminal()
        let context = CommandContext(
            terminal: terminal,
            variables: [
                "CARILLON_BUS": kafka.url, "CARILLON_KAFKA_FETCH_WAIT_MAX_MS": "10", "CARILLON_REDIS": redis.url,
            ])
        #expect(await CommandTree.carillon.run(["rebuild"], in: context) == 0, "\(terminal.complaints)")
        let log = Log(service: "test", level: .error)
        let client = RedisClient(try RedisConfiguration(url: redis.url), log: log, metrics: Metrics())
        let registry = try await RedisRegistry.open(StoreConnection(client), mode: .follower, log: log)
        #expect(try await registry.groups(in: app) == [group])
        #expect(try await registry.transfer(transfer.id, in: app) == transfer)
        #expect(try await registry.transfer(9, in: app) == nil)
        #expect(try await registry.transfer(clientID: 5, group: 7, in: app) == transfer)
        #expect(try await registry.transfer(clientID: 6, group: 7, in: app) == nil)
        await client.close()
    }
}
