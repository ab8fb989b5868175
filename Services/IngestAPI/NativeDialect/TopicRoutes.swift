import Apps
import HTTPServer
import PushModel
import Store

/// `/v1/topics/:topic`: a topic and its subscribers.
struct TopicRoutes: Sendable {
    let registry: any Registry

    var routes: [DialectRoute] {
        // It reaches every subscriber, as a broadcast does, and cannot be taken back.
        [
            DialectRoute(
                method: .delete, pattern: "/v1/topics/:topic", scopes: [.admin], query: [], handler: .appInPath(purge))
        ]
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
