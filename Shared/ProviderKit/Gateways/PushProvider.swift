package import Apps
package import PushModel
package import ServiceKit

/// What a sender needs to know about a provider: it makes each app's gateway and owns the resources that gateways
/// share, such as connections. A sender closes its providers after its workers have stopped.
package protocol PushProvider: Sendable {
    associatedtype Credentials: Sendable, Equatable

    var kind: PushProtocol { get }
    /// Nil if the app does not use the provider.
    func credentials(in providers: ProviderCredentials) -> Credentials?
    /// The file with the secret: a new content makes a new gateway. Nil if there is none, or if the gateways read their
    /// files themselves.
    func file(of credentials: Credentials) -> KeyFile?
    /// `content` is that of the file; nil if it cannot be read.
    func gateway(_ credentials: Credentials, content: [UInt8]?, of app: AppID) -> any PushGateway
    /// Called after gateways were dropped, with the credentials of all others: what only the dropped ones used can be
    /// closed.
    func closeUnused(keeping credentials: [Credentials])
    /// What runs beside the workers.
    func services(for apps: AppDirectory) -> [any Service]
    func close() async
}

extension PushProvider {
    package func closeUnused(keeping credentials: [Credentials]) {}

    package func services(for apps: AppDirectory) -> [any Service] { [] }
}
