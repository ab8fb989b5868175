import PushModel
package import ServiceKit
import Synchronization

/// The breakers of all apps a sender serves.
package final class DeletionBreakers: Sendable {
    private let time: any TimeSource
    private let settings: DeletionBreaker.Settings
    private let breakers = Mutex<[ProviderEnvironment: DeletionBreaker]>([:])

    package init(_ settings: DeletionBreaker.Settings = DeletionBreaker.Settings(), time: any TimeSource) {
        self.settings = settings
        self.time = time
    }

    func note(_ world: ProviderEnvironment, delivered: Int, invalid: Int) {
        breakers.withLock { breakers in
            breakers[world, default: DeletionBreaker(settings)].noteDelivered(delivered, at: time.uptime)
            breakers[world, default: DeletionBreaker(settings)].noteInvalid(invalid, at: time.uptime)
        }
    }

    func verdict(_ world: ProviderEnvironment) -> DeletionBreaker.Verdict {
        breakers.withLock { $0[world]?.verdict(at: time.uptime) ?? .keep }
    }
}
