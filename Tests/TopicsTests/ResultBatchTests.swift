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
            "status":404,"reason":"\\"gone\\""}]}
            """
        #expect(String(decoding: batch.encoded(), as: UTF8.self) == expected)
    }
}
