import ServiceHost
import ServiceKit

/// Sends to Android devices, through Google and through Huawei.
@main struct AndroidSender {
    static func main() async {
        await ServiceHost.main(
            "android-sender", purpose: "sends notifications through FCM and Huawei Push Kit",
            configuration: { AndroidSenderConfiguration(environment: &$0) },
            build: { try await build($0, configuration: $1) })
    }
}
