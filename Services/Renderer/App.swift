import ServiceHost
import ServiceKit

/// Turns targeted devices into what senders send.
@main struct Renderer {
    static func main() async {
        await ServiceHost.main(
            "renderer", purpose: "writes the payloads that senders send",
            configuration: { RendererConfiguration(environment: &$0) },
            build: { try await build($0, configuration: $1) })
    }
}
