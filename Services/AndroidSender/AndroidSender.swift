import ProviderKit
import ServiceHost
import ServiceKit

/// Sends rendered notifications to Android devices through Google and Huawei.
package struct AndroidSender {
    package static func main() async {
        await ServiceHost.main(
            "android-sender", purpose: "sends notifications through FCM and Huawei Push Kit",
            configuration: { AndroidSenderConfiguration(environment: &$0) },
            check: ServiceCheck(CredentialCheck.operands) { try await check($0, configuration: $1) },
            build: { try await build($0, configuration: $1) })
    }
}
