import ServiceHost
import ServiceKit

/// Sends what was rendered for Apple's devices.
@main struct APNsSender {
    static func main() async {
        await ServiceHost.main(
            "apns-sender", purpose: "sends notifications to Apple's devices",
            configuration: { APNsSenderConfiguration(environment: &$0) },
            build: { try await build($0, configuration: $1) })
    }
}
