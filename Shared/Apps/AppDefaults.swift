/// Default values for devices and tasks.
package struct AppDefaults: Sendable, Equatable {
    package var language: String?
    /// An https URL that a notification on the web opens if its message has none.
    package var navigate: String?
    /// Time during which providers try to deliver.
    package var timeToLive = Duration.seconds(28 * 86_400)
    /// Number of consecutive rejections without proof after which a device is unregistered.
    package var failuresBeforeUnregistering = 10

    package init() {}
}
