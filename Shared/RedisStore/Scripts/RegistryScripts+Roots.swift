import RedisClient

/// The scripts over one key above the segments. Generations rise, so that keys which an older registry left behind, or
/// which one of its clients still writes, are recognized and replaced; a client of an older registry gets `NOTREADY`.
extension RegistryScripts {
    static let createRegistry = RedisScript(PackageResources.create_registry_lua)
    static let setRegistryField = RedisScript(PackageResources.set_registry_field_lua, using: .ready)
    static let clear = RedisScript(PackageResources.clear_lua)

    static let createApp = RedisScript(PackageResources.create_app_lua)
    static let countSegment = RedisScript(PackageResources.count_segment_lua, using: .ready)
    static let closeSegment = RedisScript(PackageResources.close_segment_lua, using: .ready)
    static let openSegments = RedisScript(PackageResources.open_segments_lua, using: .ready)
    static let numberTopics = RedisScript(PackageResources.number_topics_lua, using: .ready)
    static let noteBuckets = RedisScript(PackageResources.note_buckets_lua, using: .ready)

    static let beginBucket = RedisScript(PackageResources.begin_bucket_lua, using: .bucketReplies)
    static let confirmBucket = RedisScript(PackageResources.confirm_bucket_lua)
    static let lookUp = RedisScript(PackageResources.look_up_lua, using: .openBucket)
    static let reserve = RedisScript(PackageResources.reserve_lua, using: .openBucket)
    static let exchange = RedisScript(PackageResources.exchange_lua, using: .openBucket)
    static let enterAlias = RedisScript(PackageResources.enter_alias_lua, using: .openBucket, .aliasEntries)
    static let leaveAlias = RedisScript(PackageResources.leave_alias_lua, using: .openBucket, .aliasEntries)

    static let createTopic = RedisScript(PackageResources.create_topic_lua)
    static let dropTopic = RedisScript(PackageResources.drop_topic_lua, using: .topicReady)
    static let enterSegment = RedisScript(PackageResources.enter_segment_lua, using: .topicReady)
    static let readSegments = RedisScript(PackageResources.read_segments_lua, using: .topicReady)
    static let leaveSegment = RedisScript(PackageResources.leave_segment_lua, using: .topicReady)
}
