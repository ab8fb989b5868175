import PushModel
import Store

/// The registry that an import writes to.
struct ImportTarget: Sendable {
    let registry: any Registry & RegistryTakeover
    let progress: any TakeoverProgress
    /// True if the registry is filled from a log, to which a device's records are not added as one.
    let isLogged: Bool
    /// Throws if Redis has no room for further devices: waiting for it would not help.
    let checkRoom: @Sendable () throws(ImportError) -> Void
}
