import CommandKit
import HTTP2
import JSONKit
import ServiceKit

extension PipelineBench {
    private static let simulator = "provider-simulator"

    /// CPU-seconds of h2load and of the pipeline's simulator for as many requests as a broadcast has devices.
    func limitSeconds() async throws -> Double {
        let requests = try await lastPushToApple()
        let before = try ProcessReading(harness.process(PipelineBench.simulator))
        let sent = try await H2Load.run(requests, shape: .reference, count: devices)
        let after = try ProcessReading(harness.process(PipelineBench.simulator))
        return sent.cpuSeconds + after.cpuSeconds - before.cpuSeconds
    }

    /// With the sender's headers and body, to the devices of h2load.
    private func lastPushToApple() async throws -> H2Load.Requests {
        let announcement = try harness.simulatorAnnouncement()
        let pushes = try await http.get("\(harness.simulator)/pushes/apns?limit=1")
        guard let push = pushes.elements?.first, let headers = push["headers"]?.object?.members, let body = push["body"]
        else { throw BenchError("the simulator shows no push to Apple") }
        // The simulator does not show credentials.
        let authorization = ("authorization", "bearer \(try announcement.appleToken())")
        return H2Load.Requests(
            port: announcement.endpoint("apns").port, paths: SendTarget.applePaths,
            headers: headers.compactMap { name, value in value.text.map { (name, $0) } } + [authorization],
            body: body.compactBytes)
    }
}
