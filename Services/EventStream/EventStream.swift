import ServiceHost
import ServiceKit

/// Shows planned tasks to everyone who listens to their topics, over server-sent events.
package struct EventStream {
    package static func main() async {
        await ServiceHost.main(
            "event-stream", purpose: "shows tasks to the listeners of their topics, over server-sent events",
            configuration: { EventStreamConfiguration(environment: &$0) },
            build: { try await build($0, configuration: $1) })
    }
}
