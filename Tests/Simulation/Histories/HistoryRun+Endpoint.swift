import HistoryJudge
import JSONKit
import MemoryStore
import PushModel

extension HistoryRun {
    /// What the endpoints of the app accepted.
    func endpointEvidence() throws -> EndpointEvidence {
        var evidence = EndpointEvidence()
        evidence.expectsReports = history.app.hasReportEndpoint
        evidence.expectsStates = history.app.hasWebhook
        evidence.goneDevices = Set(
            try (0..<history.deviceCount).filter {
                try world.registry.device(population.id($0), in: population.app) == nil
            })
        var bodies: [String: [UInt8]] = [:]
        for post in world.endpoint.accepted {
            if let body = bodies[post.id] {
                if body != post.body { evidence.changedPosts.insert(post.id) }
                continue
            }
            bodies[post.id] = post.body
            switch post.kind {
            case .report: addReport(post, to: &evidence)
            case .states: try addStates(post.body, to: &evidence)
            case .transitions: try addTransitions(post.body, to: &evidence)
            }
        }
        return evidence
    }

    /// The id is that of the task and a suffix.
    private func addReport(_ post: SimulatedEndpoint.Accepted, to evidence: inout EndpointEvidence) {
        guard let task = TaskID(String(post.id.prefix { $0 != "/" })) else {
            preconditionFailure("the report of no task")
        }
        evidence.reports[task, default: []].insert(post.body)
    }

    private func addStates(_ body: [UInt8], to evidence: inout EndpointEvidence) throws {
        for state in try JSON(body).elements ?? [] {
            guard let task = task(of: state), let status = state["delivery_status"]?.text
            else { preconditionFailure("a state of no message") }
            let device = state["device_token"]?.text.map { population.number(of: $0) ?? -1 }
            evidence.states[task, default: []].append(ToldState(device: device, status: status))
        }
    }

    /// A message of ContextPush is told by the key of its publisher.
    private func task(of state: JSON) -> TaskID? {
        if case .integer(let order) = state["content"]?["userInfo"]?[OrderDialect.orderName] {
            return record.task(of: Int(order))
        }
        return state["idempotency_key"]?.text.flatMap { TaskID($0) }
    }

    private func addTransitions(_ body: [UInt8], to evidence: inout EndpointEvidence) throws {
        for transition in try JSON(body).elements ?? [] where transition["class"]?.text == "ineligible" {
            guard let device = transition["device_token"]?.text.map({ population.number(of: $0) ?? -1 }) else {
                preconditionFailure("a transition of no device")
            }
            evidence.removals[device, default: 0] += 1
        }
    }
}
