/// A function that receives arbitrary bytes and checks properties of the result.
///
/// The raw value is the target's name in `make fuzz TARGET=` and the name of its folder in `Corpus`. A target throws
/// `FuzzError` if a property is violated; a trap is a finding as well. `docs/fuzzing.md` explains how to add one.
enum FuzzTarget: String, CaseIterable, Sendable {
    case access
    case addresses
    case answers
    case apps
    case audience
    case chunks
    case cost
    case devices
    case forms
    case http1
    case http2Client = "http2-client"
    case http2Requests = "http2-requests"
    case http2Server = "http2-server"
    case json
    case jwt
    case keys
    case ledger
    case messages
    case records
    case redisReplies = "redis-replies"
    case targets
    case tasks
    case texts
    case trace
    case zones

    func run(_ bytes: [UInt8]) throws {
        switch self {
        case .access: try AccessTargets.access(bytes)
        case .addresses: try TextTargets.addresses(bytes)
        case .answers: try HTTPTargets.answers(bytes)
        case .apps: try AccessTargets.apps(bytes)
        case .audience: try AudienceTarget.run(bytes)
        case .chunks: try MessageTargets.chunks(bytes)
        case .cost: try CostTarget.run(bytes)
        case .devices: try StoreTargets.devices(bytes)
        case .forms: try RequestTargets.forms(bytes)
        case .http1: try HTTP1Target.run(bytes)
        case .http2Client: try HTTP2Targets.client(bytes)
        case .http2Requests: try RequestSessionTarget.run(bytes)
        case .http2Server: try HTTP2Targets.server(bytes)
        case .json: try JSONTarget.run(bytes)
        case .jwt: try KeyTargets.tokens(bytes)
        case .keys: try KeyTargets.keys(bytes)
        case .ledger: try StoreTargets.ledger(bytes)
        case .messages: try MessageTargets.messages(bytes)
        case .records: try StoreTargets.records(bytes)
        case .redisReplies: try RedisTarget.run(bytes)
        case .targets: try HTTPTargets.targets(bytes)
        case .tasks: try RequestTargets.tasks(bytes)
        case .texts: try TextTargets.texts(bytes)
        case .trace: try StoreTargets.trace(bytes)
        case .zones: try ZoneTarget.run(bytes)
        }
    }
}

/// A property that is violated for an input.
struct FuzzError: Error, CustomStringConvertible {
    let description: String

    static func check(_ holds: Bool, message: @autoclosure () -> String) throws {
        guard holds else { throw FuzzError(description: message()) }
    }
}
