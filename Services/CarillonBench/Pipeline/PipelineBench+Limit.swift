import CommandKit
import HTTP2
import JSONKit
import ServiceKit

extension PipelineBench {
    private static let simulator = "provider-simulator"

    /// CPU-seconds of h2load and of the pipeline's simulator for as many requests as a broadcast has devices, half of
    /// them to Apple and half to Google.
    func limitSeconds() async throws -> Double {
        let announcement = try harness.simulatorAnnouncement()
        let google = try GoogleAccess(announcement)
        let requests = [
            try await lastPush(
                to: "apns", paths: SendTarget.applePaths, authorization: "bearer \(try announcement.appleToken())"),
            try await lastPush(to: "fcm", paths: [google.path], authorization: "Bearer \(try await google.token())"),
        ]
        let before = try ProcessReading(harness.process(PipelineBench.simulator))
        var seconds = 0.0
        for requests in requests {
            seconds += try await H2Load.run(requests, shape: .reference, count: devices / 2).cpuSeconds
        }
        let after = try ProcessReading(harness.process(PipelineBench.simulator))
        return seconds + after.cpuSeconds - before.cpuSeconds
    }

    /// With the sender's headers and body, but for the credentials, which the simulator does not show.
    private func lastPush(
        to provider: String, paths: [String], authorization: String
    ) async throws -> H2Load.Requests {
        let pushes = try await http.get("\(harness.simulator)/pushes/\(provider)?limit=1")
        guard let push = pushes.elements?.first, let headers = push["headers"]?.object?.members, let body = push["body"]
        else { throw BenchError("the simulator shows no push to \(provider)") }
        return H2Load.Requests(
            port: try harness.simulatorAnnouncement().endpoint(provider).port, paths: paths,
            headers: headers.compactMap { name, value in value.text.map { (name, $0) } }
                + [("authorization", authorization)],
            body: body.compactBytes)
    }
}
