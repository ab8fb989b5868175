import CommandKit
import JSONKit
import ServiceKit

/// A blocking connection that posts updates of one Live Activity.
final class ActivityConnection {
    private let connection: LoadConnection
    private let head: String

    init(_ harness: LocalHarness, activity: String) throws {
        connection = try LoadConnection(port: try harness.port())
        head = """
            PATCH /v1/activities/\(activity) HTTP/1.1\r
            Host: 127.0.0.1\r
            Authorization: Bearer \(harness.key.reveal())\r
            Content-Type: application/json\r

            """
    }

    /// Returns the task that sends this state, or a later one.
    func update(to step: Int) throws -> String {
        let body = #"{"content_state":{"step":\#(step)}}"#
        let request = "\(head)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        let answer = try JSON(try connection.exchange(Array(request.utf8)))
        guard let task = answer["task"]?.text else { throw BenchError("the API response contains no task") }
        return task
    }
}
