import Bus
import MemoryBus
import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import TestSupport
import Testing
import Topics

@testable import Reporter

/// What opens and deliveries teach. The clock starts at midnight, UTC, which is nine in the fallback zone of the app.
@Suite(.timeLimit(.minutes(5))) struct OpenLearnerTests {
    private static let zone = "America/New_York"

    private let fixture: ReporterFixture
    private let receipts: MemoryTaskReceipts
    private let day: UInt16
    private let ada: UserKey

    init() throws {
        fixture = try ReporterFixture()
        receipts = MemoryTaskReceipts(time: fixture.time)
        day = ReceiptProof.day(of: fixture.time.now)
        ada = UserKey(try Samples.user("ada"), of: fixture.app)
    }

    private func device(
        _ number: Int, of user: String? = "ada", zone: String? = zone, in app: AppID? = nil
    ) async throws -> DeviceID {
        let changes = DeviceChanges(timeZone: zone, aliases: user.map { [.externalUser: $0] } ?? [:])
        let app = app ?? fixture.app
        return try await fixture.registry.registerSamples(number..<number + 1, changes: changes, in: app)[0]
    }

    /// An open task, sent now, for one user.
    private func begin(
        _ number: UInt64, to devices: [DeviceID], method: DeliveryWindow.Method? = .contextAware
    ) throws -> PushTask {
        try fixture.begin(number, devices: devices, isFast: true) { task in
            task.labels[CampaignCohort.label] = "daily"
            guard let method else { return }
            task.window = DeliveryWindow(
                from: task.created, to: task.created + .seconds(3_600), user: ada.user, method: method)
        }
    }

    /// Counts receipts as a new process would.
    private func handle(
        _ device: DeviceID, _ kind: ReceiptKind = .opened, of task: TaskID, in app: AppID? = nil,
        opens: (any UserOpens)? = nil
    ) async throws {
        let handler = ReceiptHandler(
            receipts, places: ReceiptPlaces(receipts: receipts, archive: fixture.archive, traces: fixture.traces),
            states: fixture.recorder(), learner: fixture.learner(opens), metrics: fixture.metrics)
        let batch = ReceiptBatch(
            task: task, app: app ?? fixture.app, day: day, time: fixture.time.now,
            receipts: [
                DeviceReceipt(
                    device: device, on: .ios, kind: kind, action: kind == .action ? "reply" : "",
                    time: fixture.time.now)
            ])
        let message = ReceivedMessage(
            message: batch,
            origin: IncomingMessage(
                partition: PartitionID(channel: "receipts", number: 0), offset: 0, key: nil, value: [], headers: [],
                timestamp: fixture.time.now))
        let context = HandlerContext(
            time: fixture.time, random: SeededRandomSource(seed: 1),
            producer: try await fixture.bus.makeProducer(ProducerOptions()), log: fixture.environment.log, attempt: 1)
        #expect(try await handler.handle([message], context: context).isEmpty)
    }

    private func close(_ task: PushTask, opens: (any UserOpens)? = nil) async throws {
        let closer = try await fixture.closer(opens: opens)
        #expect(try await closer.check(CheckQueue.Check(task: task.id, isDue: true)) == .settled)
    }

    /// Of each cell the hour, opens and deliveries; nil without a record.
    private func cells(of user: UserKey? = nil) -> [[Int]]? {
        fixture.opens.record(of: user ?? ada)?.cells.map { [Int($0.hour), Int($0.opens), Int($0.deliveries)] }
    }

    private func metric(_ name: MetricName) -> Int { fixture.metrics.counter(name).value }

    /// The hour is that at which the task was sent: midnight is seven in New York, in winter.
    @Test func anOpenTeachesOnceAtTheHourOfItsSending() async throws {
        let (phone, tablet) = (try await device(1), try await device(2))
        let task = try begin(1, to: [phone, tablet])
        try await handle(phone, .delivered, of: task.id)
        #expect(cells() == nil)
        fixture.time.advance(by: .seconds(5 * 3_600))
        for device in [phone, phone, tablet] { try await handle(device, of: task.id) }
        #expect(cells() == [[19, 1, 1]])
        let record = try #require(fixture.opens.record(of: ada))
        #expect(record.zone == Self.zone && record.cells.map(\.campaign) == [CampaignDigest(of: "daily")])
        #expect(metric(.reporterLearntOpens) == 1 && metric(.reporterLearntDeliveries) == 0)
    }

    @Test func onlyOpensOfTasksWithAWindowTeach() async throws {
        let phone = try await device(1)
        let plain = try begin(1, to: [phone], method: nil)
        let windowed = try begin(2, to: [phone], method: .traditional)
        try await handle(phone, of: plain.id)
        for kind in [ReceiptKind.delivered, .dismissed, .action] { try await handle(phone, kind, of: windowed.id) }
        #expect(cells() == nil)
        try await handle(phone, of: windowed.id)
        #expect(cells() == [[19, 1, 1]])
    }

    /// Goal: the task tells when it was sent, wherever the store still has it; without that the open does. Method: the
    /// places are kept with a first receipt, then the task is closed, and its trace expires.
    @Test func aTaskThatIsClosedTeachesToo() async throws {
        let phone = try await device(1)
        let (traced, forgotten) = (try begin(1, to: [phone]), try begin(2, to: [phone]))
        for task in [traced, forgotten] {
            try await fixture.end([phone], task: task.id, as: .delivered)
            try await handle(phone, .delivered, of: task.id)
            try await close(task)
            try await fixture.archive.forget(task.id, after: .zero)
            #expect(fixture.archive.content(of: task.id) == nil && fixture.archive.report(of: task.id) == nil)
        }
        fixture.time.advance(by: .seconds(2 * 3_600))
        try await handle(phone, of: traced.id)
        #expect(cells() == [[19, 1, 1]])
        fixture.time.advance(by: .seconds(10 * 86_400 + 3_600))
        try await handle(phone, of: forgotten.id)
        #expect(cells() == [[19, 1, 1], [22, 1, 1]])
    }

    @Test func usersOfOtherAppsAndUnknownDevicesAreNotTaught() async throws {
        let shop = try AppID("shop")
        let (phone, elsewhere, anonymous) = (
            try await device(1), try await device(1, in: shop), try await device(2, of: nil)
        )
        let task = try begin(1, to: [phone])
        try await handle(anonymous, of: task.id)
        try await handle(DeviceID(index: phone.index, tag: phone.tag ^ 1), of: try begin(2, to: [phone]).id)
        #expect(cells() == nil)
        let other = try begin(3, to: [elsewhere])
        try await handle(elsewhere, of: other.id, in: shop)
        #expect(cells() == nil)
        #expect(cells(of: UserKey(ada.user, of: shop)) == [[19, 1, 1]])
    }

    /// Without a zone that tzdata has, that of the app counts; its name is never stored.
    @Test(arguments: [nil, "Mars/Base", "../../etc/passwd", String(repeating: "A", count: 200)])
    func aDeviceWithoutAZoneHasThatOfTheApp(_ zone: String?) async throws {
        let phone = try await device(1, zone: zone)
        try await handle(phone, of: try begin(1, to: [phone]).id)
        #expect(fixture.opens.record(of: ada)?.zone == ReporterFixture.fallbackZone && cells() == [[9, 1, 1]])
    }

    @Test func deliveriesCountForUsersWithOpens() async throws {
        let (phone, tablet) = (try await device(1), try await device(2))
        let first = try begin(1, to: [phone])
        try await fixture.end([phone], task: first.id, as: .delivered)
        try await close(first)
        #expect(cells() == nil && metric(.reporterLearntDeliveries) == 0)
        try await handle(phone, of: first.id)

        fixture.time.advance(by: .seconds(3_600))
        let (both, failed, plain) = (
            try begin(2, to: [phone, tablet]), try begin(3, to: [phone]), try begin(4, to: [phone], method: nil)
        )
        try await fixture.end([phone, tablet], task: both.id, as: .delivered)
        try await fixture.end([phone], task: failed.id, as: .failed)
        try await fixture.end([phone], task: plain.id, as: .delivered)
        fixture.time.advance(by: .seconds(1_800))
        for task in [both, failed, plain] { try await close(task) }
        #expect(cells() == [[19, 1, 1], [20, 0, 1]])
        try await handle(tablet, of: both.id)
        #expect(cells() == [[19, 1, 1], [20, 1, 1]])
        #expect(metric(.reporterLearntDeliveries) == 1)
    }

    /// Goal: a delivery counts once at most, also when the reporter dies at any step and checks the task again.
    @Test func aDeliveryCountsOnce() async throws {
        let phone = try await device(1)
        try await handle(phone, of: try begin(1, to: [phone]).id)
        for step in 0..<12 {
            let before = try #require(cells()?[0][2])
            let task = try begin(UInt64(10 + step), to: [phone])
            try await fixture.end([phone], task: task.id, as: .delivered)
            fixture.scissors.cut(after: step)
            let closer = try await fixture.closer()
            _ = try? await closer.check(CheckQueue.Check(task: task.id, isDue: true))
            fixture.scissors.cut(after: nil)
            fixture.time.advance(by: ReporterFixture.lease)
            _ = try await fixture.closer().check(CheckQueue.Check(task: task.id, isDue: true))
            #expect(try await fixture.reports().contains { $0.task == task.id }, "\(step)")
            let after = try #require(cells()?[0][2])
            #expect((before...before + 1).contains(after), "\(step)")
        }
    }

    private struct BrokenOpens: UserOpens {
        let code: StoreError.Code

        private var error: StoreError { StoreError(code, message: "broken") }

        func record(of user: UserKey) async throws(StoreError) -> OpenRecord? { throw error }

        func update(
            _ user: UserKey, _ change: @Sendable (inout OpenRecord?) -> Void
        ) async throws(StoreError) -> Bool { throw error }

        func forget(_ user: UserKey) async throws(StoreError) { throw error }
    }

    /// A full store stops neither receipts nor reports; one that is away is waited for.
    @Test func aFullStoreLearnsNothing() async throws {
        let phone = try await device(1)
        let task = try begin(1, to: [phone])
        try await fixture.end([phone], task: task.id, as: .delivered)
        try await handle(phone, of: task.id, opens: BrokenOpens(code: .full))
        try await close(task, opens: BrokenOpens(code: .full))
        #expect(receipts.counts(of: task.id, days: day...day)[.opened] == 1)
        #expect(try await fixture.reports().count == 1)
        #expect(metric(.reporterLearntOpens) == 0 && metric(.reporterLearntDeliveries) == 0)
        await #expect(throws: StoreError.self) {
            try await handle(phone, of: try begin(2, to: [phone]).id, opens: BrokenOpens(code: .unavailable))
        }
    }
}
