import JSONKit

/// Finds the task's id in a payload of JSON, at the places where payloads carry their data.
enum TaskInPayload {
    private static let places = [["task_id"], ["data", "task_id"], ["notification", "data", "task_id"]]

    static func id(in document: JSON) -> String? {
        for place in places {
            if let text = place.reduce(document as JSON?, { $0?[$1] })?.text { return text }
        }
        return nil
    }
}
