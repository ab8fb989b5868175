import Bus
import PushModel
import ServiceKit
import TestSupport
import Testing
import Topics

/// Messages of the public topics carry CloudEvents headers; messages of internal topics carry none.
@Suite struct CloudEventHeadersTests {
    private let task = TaskID(high: 1, low: 2)
    private let trace = TraceContext(header: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")

    @Test func aPublicMessageIsAnEventInBinaryMode() throws {
        let feedback = try feedback()
        let message = Topics.feedback.message(feedback, key: feedback.key, trace: trace)
        #expect(message.value == feedback.encoded())
        let headers = message.headers.map { "\($0.name): \($0.text)" }
        #expect(
            headers == [
                "ce_specversion: 1.0", "ce_id: news/\(feedback.device)", "ce_type: carillon.feedback.v1",
                "ce_source: /apps/news", "ce_subject: \(feedback.device)", "ce_time: 2026-01-01T00:00:00.000Z",
                "content-type: application/json",
                "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            ])
    }

    @Test func thePageListsEveryHeader() throws {
        let page = try #require(SourceTree.text("docs/topics.md"))
        let listed = MarkdownTable.rows(under: "## Public messages are events", inPage: page).compactMap { $0.first }
        #expect(listed == Topics.feedback.message(try feedback(), key: nil).headers.map { "`\($0.name)`" })
    }

    @Test func anInternalMessageIsNoCloudEvent() throws {
        let chunk = AudienceChunk(task: task, app: try AppID("news"), lane: .fast, attempt: 0, segments: [])
        #expect(Topics.audience.message(chunk, key: nil, lane: .fast).headers == [])
        #expect(Topics.audience.message(chunk, key: nil, lane: .fast, trace: trace).headers.count == 1)
    }

    private func feedback() throws -> DeviceFeedback {
        DeviceFeedback(
            DeviceResult(
                device: DeviceID(index: DeviceIndex(rawValue: 5), tag: 9), provider: .fcm, state: .invalidRemoved,
                attempt: 1, status: 404, reason: "UNREGISTERED"),
            cause: .invalid, of: task, app: try AppID("news"), at: Timestamp(milliseconds: 1_767_225_600_000))
    }
}
