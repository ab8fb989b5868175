import Apps
import HTTPServer
import PushModel

/// Pushwoosh's API of Live Activities, in which `application` selects the app: starts and updates of publishers, and
/// the calls of its SDK. `docs/pushwoosh.md` describes it.
struct PushwooshDialect: Dialect {
    let publishing: PushwooshPublishing
    let devices: PushwooshDevices
    let log: RefusalLog

    var routes: [DialectRoute] { publishing.routes + devices.routes }

    func refusal(_ error: any Error) -> HTTPResponse {
        (error as? PushwooshError ?? .task(TaskError(error, log: log))).response
    }

    func refusal(of problem: Problem) -> HTTPResponse {
        PushwooshError.response(to: problem)
    }
}
