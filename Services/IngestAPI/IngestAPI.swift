import ServiceHost
import ServiceKit

/// Accepts the HTTP requests of publishers and devices.
package struct IngestAPI {
    package static func main() async {
        await ServiceHost.main(
            "ingest-api", purpose: "accepts registrations and tasks over HTTP",
            configuration: { IngestConfiguration(environment: &$0) }, build: { try await build($0, configuration: $1) })
    }
}
