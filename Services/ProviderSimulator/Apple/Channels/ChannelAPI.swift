import HTTPServer
import JSONKit

/// The part of the admin API that shows Apple's channels and limits them.
struct ChannelAPI: Sendable {
    static let countMaximum = 100_000

    let channels: AppleChannels
    let phones: ApplePhones

    func add(to router: inout HTTPRouter) {
        router.on(.get, pattern: "/channels") { _ in .json(channels.json(subscribers: phones.subscribers) + "\n") }
        router.on(.post, pattern: "/channels") { change($0) }
    }

    private func change(_ request: HTTPRequest) -> HTTPResponse {
        AdminDocument.read(request) { fields in
            (max: fields.integer("max", in: 0...ChannelAPI.countMaximum), isEnabled: fields.bool("enabled"))
        } perform: { change in
            channels.change(countMaximum: change.max, isEnabled: change.isEnabled)
            return HTTPResponse(.noContent)
        }
    }
}
