import PushModel
import ServiceKit
import Testing
import Topics

@Suite struct ResultBatchTests {
    @Test func itReadsAsAnalystsExpect() throws {
        let device = DeviceID(index: DeviceIndex(rawValue: 5), tag: 9)
        let results = [
            DeviceResult(device: device, provider: .apns, state: .delivered, attempt: 0, status: 200, reason: ""),
            DeviceResult(
                device: device, provider: .fcm, state: .invalidRemoved, attempt: 3, status: 404, reason: "\"gone\""),
            DeviceResult(
                device: device, provider: .fcm, state: .invalid, attempt: 0, status: 404, reason: "", isCounted: true),
        ]
        let batch = ResultBatch(
            task: TaskID(high: 1, low: 2), app: try AppID("news"), time: Timestamp(milliseconds: 1_767_225_600_000),
            results: results)
        let task = "00000000-0000-0001-0000-000000000002"
        let expected = """
            {"version":1,"task":"\(task)","app":"news","time":"2026-01-01T00:00:00.000Z","results":[\
            {"id":"\(task)/\(device)","device":"\(device)","provider":"apns","state":"delivered","attempt":0,\
            "status":200,"reason":""},\
            {"id":"\(task)/\(device)","device":"\(device)","provider":"fcm","state":"invalid_removed","attempt":3,\
            "status":404,"reason":"\\"gone\\""},\
            {"id":"\(task)/\(device)","device":"\(device)","provider":"fcm","state":"invalid","attempt":0,\
            "status":404,"reason":"","counted":true}]}
            """
        #expect(String(decoding: batch.encoded(), as: UTF8.self) == expected)
    }

    /// As the ledger stores them, to which a repeat is compared.
    @Test func reasonsAreCut() {
        let result = DeviceResult(
            device: DeviceID(index: DeviceIndex(rawValue: 5), tag: 9), provider: .fcm, state: .expired, attempt: 0,
            status: 0, reason: "x" + String(repeating: "é", count: 100))
        #expect(result.reason == "x" + String(repeating: "é", count: 31))
    }

    /// Goal: a repeated batch is the same event. Method: pin the current id; repeat the same outcomes later, in another
    /// order and with the details the ledger keeps; then fewer devices; another task.
    @Test func theEventIsNamedByItsOutcomes() throws {
        let event = try #require(try Self.batch(devices: [5, 6, 7]).event)
        #expect(event.id == "00000000-0000-0001-0000-000000000002/results/3436bbb2b3d92fda")
        #expect(event.type == "carillon.results.v1" && event.source == "/apps/news")
        #expect(event.subject == "00000000-0000-0001-0000-000000000002")
        #expect(event.time == Timestamp(milliseconds: 1))
        let again = try #require(try Self.batch(devices: [7, 5, 6], time: 2, attempt: 3).event)
        #expect(again.id == event.id && again.source == event.source)
        #expect(try Self.batch(devices: [5, 6]).event?.id != event.id)
        #expect(try Self.batch(devices: [5, 6, 8]).event?.id != event.id)
        #expect(try Self.batch(task: 3, devices: [5, 6, 7]).event?.id != event.id)
    }

    private static func batch(
        task: UInt64 = 2, devices: [UInt32], time: Int64 = 1, attempt: UInt8 = 0
    ) throws -> ResultBatch {
        ResultBatch(
            task: TaskID(high: 1, low: task), app: try AppID("news"), time: Timestamp(milliseconds: time),
            results: devices.map { number in
                DeviceResult(
                    device: DeviceID(index: DeviceIndex(rawValue: number), tag: 9), provider: .fcm, state: .delivered,
                    attempt: attempt, status: 200, reason: "")
            })
    }
}
