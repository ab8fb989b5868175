import JSONKit
import PushModel
import TestSupport
import Testing

extension Harness {
    /// The data of the last push of a provider, as the app gets it.
    func dataOfLastPush(of kind: PushProtocol) async throws -> JSON {
        let pushes = try JSON(try await simulator.admin("GET", "/pushes/\(kind.name)?limit=1").body)
        let body = try #require(pushes.elements?.first?["body"])
        switch kind {
        case .apns: return body
        case .fcm: return try #require(body["message"]?["data"])
        default: return try JSON(try #require(body["message"]?["data"]?.text))
        }
    }

    /// The task that an answer of `ingest-api` names.
    func task(in response: RawClient.Response) throws -> TaskID {
        guard 200...299 ~= response.status,
            let task = try JSON(response.body)["task"]?.text.flatMap({ TaskID($0) })
        else { throw SetupError(description: "no task: \(response.status) \(response.text) \(lines)") }
        return task
    }
}
