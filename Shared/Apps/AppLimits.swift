package import PushModel

/// Limits of one app; nil for no limit.
package struct AppLimits: Sendable, Equatable {
    /// Maximum number of registered devices.
    package var devices: Int?
    package var requestsPerSecond: Int?
    /// Pushes per second over all tasks of the app.
    package var devicesPerSecond: Int?
    package var pushesPerDevice: PushCap?

    package init() {}
}
