extension JSONObject {
    /// Removes null members here and in each object on the path. An object without nulls is not copied.
    package func withoutNulls(below path: [String] = []) -> JSONObject {
        guard hasNull(below: path) else { return self }
        var object = JSONObject(members.filter { $0.value != .null })
        if let name = path.first, let inner = object[name]?.object {
            object[name] = .object(inner.withoutNulls(below: Array(path.dropFirst())))
        }
        return object
    }

    private func hasNull(below path: [String]) -> Bool {
        if members.contains(where: { $0.value == .null }) { return true }
        guard let name = path.first, let inner = self[name]?.object else { return false }
        return inner.hasNull(below: Array(path.dropFirst()))
    }
}
