import HTTPServer
import JSONKit
import PushModel
import ServiceKit
import Store

/// `/event/:event`: what is counted of an event, and its end.
struct EventStatisticsRoutes: Sendable {
    let registry: any Registry
    let topics: any TopicStatistics

    /// As in pushd, the total is that of the subscribers until the first publication, and the time of the last one is
    /// then missing.
    @Sendable func read(_ call: PushdCall) async throws -> HTTPResponse {
        guard let figures = try await topics.figures(of: call.event(), in: call.app) else {
            throw PushdError.unknownEvent
        }
        let count = figures.count
        return .json(
            JSONText.object { json in
                json.member("created", Int(count.created.seconds))
                json.member("total", count.publications > 0 ? Int(count.publications) : figures.subscribers)
                if let last = count.last { json.member("last", Int(last.seconds)) }
            })
    }

    /// Ends all subscriptions to the event.
    @Sendable func purge(_ call: PushdCall) async throws -> HTTPResponse {
        guard try await registry.purge(call.event(), in: call.app) > 0 else { throw PushdError.unknownEvent }
        return HTTPResponse(.noContent)
    }
}

extension Timestamp {
    fileprivate var seconds: Int64 { milliseconds / 1_000 }
}
