/// Bounds of one app; nil means that only the machine bounds it.
package struct AppLimits: Sendable, Equatable {
    /// Devices registered at once.
    package var devices: Int?
    package var requestsPerSecond: Int?
    /// Devices rung a second, over all tasks of the app.
    package var devicesPerSecond: Int?

    package init() {}
}
