import HTTPServer

extension HTTPRequest {
    /// The query parameter `limit`.
    func limit(in allowed: ClosedRange<Int>, default standard: Int) throws(TaskError) -> Int {
        guard let text = queryValue("limit") else { return standard }
        guard let limit = Int(text), allowed.contains(limit) else {
            throw .invalidField(
                "limit", message: "expected an integer from \(allowed.lowerBound) to \(allowed.upperBound)")
        }
        return limit
    }
}
