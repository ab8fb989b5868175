import ServiceHost
import ServiceKit

/// Takes what publishers and devices ask for over HTTP.
@main struct IngestAPI {
    static func main() async {
        await ServiceHost.main(
            "ingest-api", purpose: "takes registrations over HTTP",
            configuration: { IngestConfiguration(environment: &$0) }, build: { try await build($0, configuration: $1) })
    }
}
