import JSONKit
import ServiceKit
import TestSupport
import Testing

/// Messages of ContextPush's API with the real program and a real Redis.
@Suite(.timeLimit(.minutes(5))) struct ContextPushProcessTests {
    /// Goal: for all processes together, and after a crash, a key has one message: the last one. Method: two processes
    /// get the same requests; one is killed between them.
    @Test func aKeyHasOneMessage() async throws {
        var options = RedisServer.Options()
        options.isDurable = true
        let redis = try await RedisServer(options)
        let first = try await IngestProcess(redis: redis.url, contextpush: "com.example.news")
        let second = try await IngestProcess(redis: redis.url, beside: first)
        @Sendable func schedule(_ title: String, at api: IngestProcess) async throws -> RawClient.Response {
            let body = ContextPushSamples.message([
                "idempotency_key": #""k""#, "delivery_method": #""context_aware""#,
                "content": #"{"title":"\#(title)","body":"B"}"#,
            ])
            return try await api.curl("POST", ContextPushSamples.schedule, body: body, json: true)
        }
        let answers = try await Array(0..<12).concurrentMap(atOnce: 12) { number in
            try await schedule("A", at: number % 2 == 0 ? first : second)
        }
        #expect(answers.allSatisfy { $0.status == 200 || $0.status == 409 }, "\(answers.map(\.text))")
        let message = try #require(answers.first { $0.status == 200 })
        #expect(answers.allSatisfy { $0.status == 409 || $0.text == message.text })
        try await first.killAndRestart()
        for api in [first, second] { #expect(try await schedule("A", at: api).text == message.text) }

        let other = try await schedule("B", at: second)
        let again = try await schedule("A", at: first)
        #expect(other.status == 200 && again.status == 200)
        let ids = [message, other, again].compactMap { $0.json["message_id"]?.text }
        #expect(Set(ids).count == 3)
        var cancelled: [JSON?] = []
        for id in ids { cancelled.append(try await first.curl("GET", "/v1/tasks/\(id)").json["cancelled"]) }
        #expect(cancelled == [.bool(true), .bool(true), .bool(false)])

        for api in [second, first] {
            let answer = try await api.curl(
                "POST", ContextPushSamples.cancel, body: ContextPushSamples.cancellation(), json: true)
            #expect(answer.json["status"] == .string("cancelled"), "\(answer.text)")
            #expect(answer.json["message_id"] == .string(ids[2]))
        }
        let anew = try await schedule("A", at: second)
        #expect(anew.status == 200 && !ids.contains(anew.json["message_id"]?.text ?? ""))
        #expect(await first.stop() == .exited(0))
        #expect(await second.stop() == .exited(0))
    }
}
