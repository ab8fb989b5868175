package import PushModel
import ServiceKit

/// Servers to which senders hold back an app's pushes, because they do not answer or with errors only. For those who look
/// at the app: each sender decides by itself, so losing this data changes nothing that is sent. A server is named
/// `host:port`.
package protocol FailingServers: Sendable {
    /// Time left until each server of the app is tried again; zero or less while it is tried.
    func read(_ app: AppID) async throws(StoreError) -> [String: Duration]
    /// Notes servers with the time until they are tried again; of several senders the longest counts. An app with
    /// `FailingServerBounds.serversMaximum` servers gets no further ones until some have ended; among those noted
    /// together the first in alphabetical order come first.
    func note(_ servers: [String: Duration], of app: AppID) async throws(StoreError)
    func remove(_ servers: [String], of app: AppID) async throws(StoreError)
}

package enum FailingServerBounds {
    /// Of one app.
    package static let serversMaximum = 32
    /// A server is forgotten so long after the time at which it was to be tried. The next note comes sooner if it fails
    /// again.
    package static let memory = Duration.seconds(15)
}
