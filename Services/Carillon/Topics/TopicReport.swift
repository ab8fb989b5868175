import CommandKit
import KafkaBus
import ServiceKit

/// What became of a topic that `carillon topics create` planned.
struct TopicReport {
    let plan: KafkaTopicPlan
    /// Nil if nothing was requested.
    let outcome: KafkaTopics.Outcome?

    /// Prints a line, and a second one for a problem.
    func show(on terminal: any Terminal, isJSON: Bool) {
        if isJSON {
            terminal.print(json)
            return
        }
        switch outcome {
        case nil: terminal.print("would create, if missing, \(text)")
        case .created: terminal.print("created \(text)")
        case .existed: terminal.print("exists  \(plan.name)")
        case .differs(let partitions):
            terminal.print("exists  \(plan.name)")
            terminal.complain("\(plan.name) has \(partitions) partitions, expected \(plan.partitions)")
        case .failed(let problem): terminal.complain("\(plan.name) was not created: \(problem)")
        }
    }

    private var text: String {
        let settings = plan.settings.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
        return "\(plan.name): \(plan.partitions) partitions, replication \(plan.replicas), \(settings)"
    }

    private var json: String {
        JSONText.object { json in
            json.member("name", plan.name)
            json.member("outcome", word)
            json.member("partitions", plan.partitions)
            json.member("replication", plan.replicas)
            json.member("settings") { settings in
                for setting in plan.settings { settings.member(setting.name, setting.value) }
            }
            if case .differs(let partitions) = outcome { json.member("partitions_found", partitions) }
            if case .failed(let problem) = outcome { json.member("problem", problem) }
        }
    }

    private var word: String {
        switch outcome {
        case nil: "planned"
        case .created: "created"
        case .existed: "exists"
        case .differs: "differs"
        case .failed: "failed"
        }
    }
}
