import Apps
import HTTPServer
import JSONKit
import PushModel
import ServiceKit
import Store

/// `/v1/topics/:topic`: a topic and its subscribers.
struct TopicRoutes: Sendable {
    let registry: any Registry
    let topics: any TopicStatistics

    var routes: [DialectRoute] {
        // It reaches every subscriber, as a broadcast does, and cannot be taken back.
        [
            DialectRoute(
                method: .get, pattern: "/v1/topics/:topic", scopes: [.read], query: [], handler: .appInPath(read)),
            DialectRoute(
                method: .delete, pattern: "/v1/topics/:topic", scopes: [.admin], query: [], handler: .appInPath(purge)),
        ]
    }

    @Sendable func read(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        let topic = try topic(call)
        guard let figures = try await topics.figures(of: topic, in: call.app) else { throw TaskError.unknownTopic }
        return .json(
            JSONText.object { json in
                json.member("topic", topic.text)
                json.member("subscribers", figures.subscribers)
                json.member("created", "\(figures.count.created)")
                json.member("publications", Int(figures.count.publications))
                if let last = figures.count.last { json.member("last", "\(last)") }
            })
    }

    /// Ends all subscriptions to the topic.
    @Sendable func purge(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        guard try await registry.purge(topic(call), in: call.app) > 0 else { throw TaskError.unknownTopic }
        return HTTPResponse(.noContent)
    }

    private func topic(_ call: AuthorizedRequest) throws -> TopicName {
        do throws(InvalidValueError) {
            return try TopicName(call.request.parameter("topic"))
        } catch {
            throw TaskError.invalidField("topic", message: error.description)
        }
    }
}
