import Bus
import HTTPClient
import ProviderKit
import ServiceKit
import Signing

/// Posts to endpoints of apps, each time once. Redirects are not followed: nothing says that the other address is the
/// app's.
struct EndpointPoster: Sendable {
    struct Post: Sendable {
        let url: String
        /// Besides the type of the content and the signature.
        let headers: [HTTPClientRequest.Header]
        let signingKey: HMACKey?
        let body: [UInt8]
    }

    let client: any EndpointClient
    var secrets: any EndpointSecretReader = EndpointSecretFileReader()
    let destination: HTTPClientRequest.Destination
    let policy: PostPolicy
    let environment: WorkerEnvironment

    /// Patience begins at `since`. `prepare` reads the secrets of the endpoint.
    func attempt(
        since: Timestamp, prepare: () async throws(EndpointError) -> Post
    ) async -> PostPolicy.Verdict {
        do throws(EndpointError) {
            let outcome = await client.send(request(try await prepare()))
            return policy.verdict(
                on: outcome, closed: since, now: environment.time.now, random: environment.random)
        } catch {
            return again(since: since, reason: error.description)
        }
    }

    /// The verdict without an attempt.
    func again(since: Timestamp, reason: String) -> PostPolicy.Verdict {
        policy.again(reason, advice: nil, closed: since, now: environment.time.now, random: environment.random)
    }

    private func request(_ post: Post) -> HTTPClientRequest {
        var headers = [HTTPClientRequest.Header("Content-Type", "application/json")] + post.headers
        if let key = post.signingKey {
            let value = RequestSignature.value(of: post.body, at: environment.time.now, key: key)
            headers.append(.init(RequestSignature.header, value))
        }
        return HTTPClientRequest(
            .post, url: post.url, to: destination, headers: headers, body: post.body, isRepeatable: true)
    }
}
