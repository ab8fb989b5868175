import ServiceHost
import ServiceKit

/// Renders the payloads of targeted devices for the senders.
package struct Renderer {
    package static func main() async {
        await ServiceHost.main(
            "renderer", purpose: "renders the payloads for the senders",
            configuration: { RendererConfiguration(environment: &$0) },
            build: { try await build($0, configuration: $1) })
    }
}
