import HTTPServer
import JSONKit
import ServiceKit
import TestSupport

/// The backend of an app on loopback: records what phones report, and answers with given statuses first.
final class PhoneBackend: Sendable {
    struct Report: Sendable, Equatable {
        /// Method and path.
        let line: String
        let body: JSON?
        let authorization: String?
        let deviceToken: String?
    }

    private struct State {
        var reports: [Report] = []
        var statuses: [HTTPStatus]
        var devices = 0
    }

    private let server: HTTPServer
    private let state: Monitor<State>
    let url: String

    /// Requests after those with the given statuses succeed.
    init(_ statuses: [HTTPStatus] = []) throws {
        let state = Monitor(State(statuses: statuses))
        self.state = state
        var router = HTTPRouter()
        router.on(.put, pattern: "/v1/devices") { request in
            PhoneBackend.record(request, in: state) { state in
                state.devices += 1
                return .json("{\"id\":\"device-\(state.devices)\"}", status: .created)
            }
        }
        let activity = "/v1/devices/:device/activities/:activity"
        for method in [HTTPMethod.put, .delete] {
            router.on(method, pattern: activity) { request in
                PhoneBackend.record(request, in: state) { _ in HTTPResponse(.noContent) }
            }
        }
        server = HTTPServer(
            configuration: HTTPServerConfiguration(), router: router,
            log: Log(service: "test", sink: CollectingSink()), metrics: Metrics())
        try server.start()
        url = "http://127.0.0.1:\(server.port ?? 0)"
    }

    private static func record(
        _ request: HTTPRequest, in state: Monitor<State>, success: (inout State) -> HTTPResponse
    ) -> HTTPResponse {
        let report = Report(
            line: "\(request.method.rawValue) \(request.path)", body: try? JSON(request.body.bytes),
            authorization: request.headers["authorization"],
            deviceToken: request.headers["carillon-device-token"])
        return state.change { state in
            state.reports.append(report)
            return state.statuses.isEmpty ? success(&state) : HTTPResponse(state.statuses.removeFirst())
        }
    }

    /// Waits for a number of reports and returns them.
    func reports(_ count: Int) async -> [Report] {
        await blocking { [state] in
            state.wait(timeout: .hangLimit) { $0.reports.count >= count ? $0.reports : nil } ?? []
        }
    }

    func stop() async {
        await server.stop(within: .zero)
    }
}
