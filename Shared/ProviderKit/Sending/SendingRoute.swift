import PushModel
import Store
import Topics

/// The destination of pushes, as far as one wrong setting reaches: a key may be valid for one of a provider's
/// environments, or for one push type, and not for another.
struct SendingRoute: Hashable, Sendable, CustomStringConvertible {
    let world: ProviderEnvironment
    let pushType: String

    init(app: AppID, _ variant: RenderedVariant, isSandbox: Bool) {
        world = ProviderEnvironment(app: app, kind: variant.kind, isSandbox: isSandbox)
        pushType = variant.pushType
    }

    var app: AppID { world.app }
    var kind: PushProtocol { world.kind }
    var providerRoute: ProviderRoute { ProviderRoute(app: app.owner, provider: kind.carrier) }

    var destination: String {
        [kind.name, world.isSandbox ? "sandbox" : "", pushType].filter { !$0.isEmpty }.joined(separator: " ")
    }

    var description: String { "\(app) (\(destination))" }
}

/// One app's devices in one environment of a provider: an answer about a device may concern the whole environment.
struct ProviderEnvironment: Hashable, Sendable {
    let app: AppID
    let kind: PushProtocol
    let isSandbox: Bool
}
