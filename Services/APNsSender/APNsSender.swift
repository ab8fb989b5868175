import ProviderKit
import ServiceHost
import ServiceKit

/// Sends rendered notifications to Apple.
package struct APNsSender {
    package static func main() async {
        await ServiceHost.main(
            "apns-sender", purpose: "sends notifications to Apple devices through APNs",
            configuration: { APNsSenderConfiguration(environment: &$0) },
            check: ServiceCheck(CredentialCheck.operands) { try await check($0, configuration: $1) },
            build: { try await build($0, configuration: $1) })
    }
}
