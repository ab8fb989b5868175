import HTTPServer
import JSONKit
import PushModel
import Store

/// `/subscriber/:id/subscriptions`: the events a device is subscribed to.
struct SubscriptionRoutes: Sendable {
    let registry: any Registry

    @Sendable func list(_ call: PushdCall) async throws -> HTTPResponse {
        PushdAnswer.subscriptions(try await subscriptions(call))
    }

    /// One store call, so that the change is atomic.
    @Sendable func setAll(_ call: PushdCall) async throws -> HTTPResponse {
        let wanted = try await BulkSubscriptions(call).topics
        guard let id = try call.subscriber, try await registry.setSubscriptions(of: id, to: wanted, in: call.app) else {
            throw PushdError.unknownSubscriber
        }
        return HTTPResponse(.noContent)
    }

    @Sendable func removeAll(_ call: PushdCall) async throws -> HTTPResponse {
        guard let id = try call.subscriber, try await registry.setSubscriptions(of: id, to: [:], in: call.app) else {
            throw PushdError.unknownSubscriber
        }
        return HTTPResponse(.noContent)
    }

    @Sendable func read(_ call: PushdCall) async throws -> HTTPResponse {
        let event = try call.event()
        guard let options = try await subscriptions(call)[event] else { throw PushdError.notSubscribed }
        return PushdAnswer.subscription(options)
    }

    @Sendable func subscribe(_ call: PushdCall) async throws -> HTTPResponse {
        let event = try call.event()
        let options = try SubscriptionForm.options(in: await call.fields())
        guard let id = try call.subscriber,
            let change = try await registry.subscribe(id, to: event, options: options, in: call.app)
        else { throw PushdError.unknownSubscriber }
        switch change {
        case .created: return HTTPResponse(.created)
        case .updated: return HTTPResponse(.noContent)
        }
    }

    @Sendable func unsubscribe(_ call: PushdCall) async throws -> HTTPResponse {
        let event = try call.event()
        guard let id = try call.subscriber, let was = try await registry.unsubscribe(id, from: event, in: call.app)
        else {
            throw PushdError.unknownSubscriber
        }
        guard was else { throw PushdError.notSubscribed }
        return HTTPResponse(.noContent)
    }

    private func subscriptions(_ call: PushdCall) async throws -> [TopicName: SubscriptionOptions] {
        guard let id = try call.subscriber, let found = try await registry.subscriptions(of: id, in: call.app) else {
            throw PushdError.unknownSubscriber
        }
        return found
    }
}
