import RedisClient

/// Replies of `renew` and `advance`: a code, or from `renew` an offset, which is never negative. Only `advance` replies
/// `over`.
enum TenureReplyCode: Int64, CaseIterable {
    case over = 0
    /// Another member has held the partition since.
    case taken = -1
    /// The log is not the one that was read.
    case rewritten = -2
}

extension ScriptConstants {
    static let tenureReplies = ScriptConstants(prefix: "TENURE", of: TenureReplyCode.self)
}

extension ScriptLibrary {
    static let append = ScriptLibrary(PackageResources.append_lua)
    static let handled = ScriptLibrary(PackageResources.handled_lua)
    static let rewritten = ScriptLibrary(PackageResources.rewritten_lua)
    static let tenureReplies = ScriptLibrary(.tenureReplies)
}
