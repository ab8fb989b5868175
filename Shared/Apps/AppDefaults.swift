/// What holds where a device or a task does not say otherwise.
package struct AppDefaults: Sendable, Equatable {
    package var language: String?
    /// How long providers keep trying to deliver.
    package var timeToLive = Duration.seconds(28 * 86_400)
    /// Refusals without proof in a row after which a device is unregistered.
    package var failuresBeforeUnregistering = 10

    package init() {}
}
