import HTTPServer
import ServiceKit

/// The answer to a request with many tasks: for each, in their order, what it would have got alone.
struct TaskBatchAnswer {
    private let answers: [BatchSubmission.Answer]

    init(_ answers: [BatchSubmission.Answer]) {
        self.answers = answers
    }

    var response: HTTPResponse {
        var results: [UInt8] = [UInt8(ascii: "[")]
        var acceptedCount = 0
        for (place, answer) in answers.enumerated() {
            if place > 0 { results.append(UInt8(ascii: ",")) }
            results += TaskBatchAnswer.result(answer).utf8
            if case .success = answer { acceptedCount += 1 }
        }
        results.append(UInt8(ascii: "]"))
        return .json(
            JSONText.object { json in
                json.member("accepted", acceptedCount)
                json.member("refused", answers.count - acceptedCount)
                json.member("results", json: results)
            })
    }

    private static func result(_ answer: BatchSubmission.Answer) -> String {
        switch answer {
        case .success(let response):
            object(response) { json in
                let isReplay = response.headers.contains { $0.name == IdempotentAnswers.replayed.name }
                if isReplay { json.member("replayed", true) }
            }
        case .failure(let error):
            object(error.response()) { json in
                if let wait = error.headers.first(where: { $0.name == "Retry-After" }).flatMap({ Int($0.value) }) {
                    json.member("retry_after", wait)
                }
            }
        }
    }

    private static func object(_ response: HTTPResponse, adding more: (inout JSONText) -> Void) -> String {
        guard case .bytes(let body) = response.body else { preconditionFailure("a streamed answer to a task") }
        return JSONText.object { json in
            json.member("status", response.status.code)
            more(&json)
            json.member("body", json: body)
        }
    }
}
