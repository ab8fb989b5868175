import ServiceHost
import ServiceKit

/// Sends rendered notifications to browsers, Windows devices, and addresses of publishers.
package struct WebSender {
    package static func main() async {
        await ServiceHost.main(
            "web-sender", purpose: "sends notifications through Web Push, WNS, MPNS and HTTP",
            configuration: { WebSenderConfiguration(environment: &$0) },
            build: { try await build($0, configuration: $1) })
    }
}
