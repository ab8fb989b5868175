package import HTTP2
package import HTTPClient
package import ServiceKit

extension HTTP2Response {
    package func retryAfter(now: Timestamp) -> Duration? {
        RetryAfter.wait(headers["retry-after"], now: now)
    }
}

extension HTTPClientResponse {
    package func retryAfter(now: Timestamp) -> Duration? {
        RetryAfter.wait(header("retry-after"), now: now)
    }
}
