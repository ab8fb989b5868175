import HTTP2
import ServiceKit

/// Answers of token endpoints (RFC 6749, section 5).
enum TokenAnswer {
    static func token(_ token: String, lifetime: Duration) -> HTTP2Answer {
        answer(
            200,
            body: JSONText.object { json in
                json.member("access_token", token)
                json.member("expires_in", Int(lifetime.components.seconds))
                json.member("token_type", "Bearer")
            })
    }

    static func refusal(_ status: Int, error: String, description: String, retryAfter: Int? = nil) -> HTTP2Answer {
        var answer = answer(
            status,
            body: JSONText.object { json in
                json.member("error", error)
                json.member("error_description", description)
            })
        if let retryAfter { answer.headers.append("retry-after", String(retryAfter)) }
        return answer
    }

    private static func answer(_ status: Int, body: String) -> HTTP2Answer {
        HTTP2Answer(
            status, headers: ["content-type": "application/json", "cache-control": "no-store"],
            body: Array(body.utf8))
    }
}
