import PushModel
import TaskModel

/// Splits a long list into parts that fit into bus messages.
enum ListParts {
    static func cut(_ entries: [TargetEntry]) -> [ArraySlice<TargetEntry>] {
        var parts: [ArraySlice<TargetEntry>] = []
        var start = 0
        var bytes = 0
        for (place, entry) in entries.enumerated() {
            let size = entry.bytesAtMost
            if place - start == TargetList.entriesMaximum || place > start && bytes + size > TaskLimits.partBytesMaximum
            {
                parts.append(entries[start..<place])
                start = place
                bytes = 0
            }
            bytes += size
        }
        if start < entries.count { parts.append(entries[start...]) }
        return parts
    }
}

extension TargetEntry {
    /// Upper bound of the encoded size: escaping doubles a byte at most, since control characters are refused before.
    var bytesAtMost: Int {
        switch self {
        case .device: 32
        case .alias(let alias): 16 + 2 * alias.value.utf8.count
        case .token(let token): 32 + 2 * token.text.utf8.count
        }
    }
}
