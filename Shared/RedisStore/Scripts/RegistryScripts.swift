import RedisClient

/// The scripts over one segment. The header is the first key, and the generation the first argument; a header that is
/// missing or belongs to another registry answers `NOTREADY`.
enum RegistryScripts {
    static let commit = RedisScript(
        PackageResources.commit_lua, using: .ready, .records, .fields, .lists, .members, .subscriptions, .purges,
        .topicCounts, .transfers, .activities, .changes, .commitReplies, .commitChanges)
    static let commitShrinking = RedisScript(
        PackageResources.commit_shrinking_lua, using: .ready, .records, .fields, .lists, .members, .subscriptions,
        .purges, .topicCounts, .transfers, .activities, .changes, .commitReplies, .commitChanges)
    static let createDevices = RedisScript(
        PackageResources.create_devices_lua, using: .ready, .records, .fields, .lists, .members, .subscriptions,
        .purges, .topicCounts, .transfers, .activities, .changes)
    static let applyLogged = RedisScript(
        PackageResources.apply_logged_lua, using: .ready, .records, .fields, .lists, .members, .subscriptions, .purges,
        .topicCounts, .transfers, .activities, .changes)
    static let finishPurge = RedisScript(
        PackageResources.finish_purge_lua, using: .ready, .fields, .lists, .members, .subscriptions, .purges)
    static let countPublications = RedisScript(
        PackageResources.count_publications_lua, using: .ready, .fields, .topicCounts)
    static let readCounts = RedisScript(PackageResources.read_counts_lua, using: .ready)
    static let forgetChanges = RedisScript(PackageResources.forget_changes_lua, using: .ready)
    static let readDevice = RedisScript(PackageResources.read_device_lua, using: .ready)
    static let readAudience = RedisScript(PackageResources.read_audience_lua, using: .ready)
    static let readAudiences = RedisScript(PackageResources.read_audiences_lua, using: .ready)
    static let readFields = RedisScript(PackageResources.read_fields_lua, using: .ready)
    static let reserveGroup = RedisScript(PackageResources.reserve_group_lua, using: .ready, .groupReplies)
    static let releaseGroup = RedisScript(PackageResources.release_group_lua, using: .ready)
    static let reserveTransfer = RedisScript(
        PackageResources.reserve_transfer_lua, using: .ready, .fields, .transfers)
    static let listActivities = RedisScript(PackageResources.list_activities_lua, using: .ready)
    static let replaceField = RedisScript(PackageResources.replace_field_lua, using: .ready)
    static let countFailure = RedisScript(PackageResources.count_failure_lua, using: .ready, .records)
    static let countDevices = RedisScript(PackageResources.count_devices_lua, using: .ready)
    static let allocate = RedisScript(PackageResources.allocate_lua, using: .ready)
    static let createSegment = RedisScript(PackageResources.create_segment_lua)
    static let hasNoMember = RedisScript(PackageResources.has_no_member_lua, using: .ready)
    static let oldMarks = RedisScript(PackageResources.old_marks_lua, using: .ready, .records)
    static let dropMark = RedisScript(PackageResources.drop_mark_lua, using: .ready)
}
