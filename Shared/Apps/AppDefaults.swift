/// Default values for devices and tasks.
package struct AppDefaults: Sendable, Equatable {
    package var language: String?
    /// Time during which providers try to deliver.
    package var timeToLive = Duration.seconds(28 * 86_400)
    /// Number of consecutive rejections without proof after which a device is unregistered.
    package var failuresBeforeUnregistering = 10

    package init() {}
}
