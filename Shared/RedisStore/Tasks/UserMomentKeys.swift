import PushModel
import RedisClient
import Store

/// The keys of a user's moments. The tasks of some users share a hash, so that it stays a listpack.
struct UserMomentKeys {
    /// The part of the key names before the first colon, of what must be built again after the store lost writes.
    static let families = ["awaiting"]
    private static let bucketCount = 65_536

    /// A hash: by user, the waiting tasks.
    let tasks: RedisArgument
    /// A string: the time until which the user's moment lasts.
    let moment: RedisArgument
    /// The user's field in the hash.
    let field: RedisArgument

    init(_ key: UserKey) {
        let digest = NameDigest(Array(key.user.value.utf8))
        let tag = "{\(key.app):\(digest.bucket(of: UserMomentKeys.bucketCount))}"
        tasks = RedisArgument("awaiting:\(tag)")
        field = digest.field
        moment = RedisArgument(Array("moment:\(tag):".utf8) + digest.fieldBytes)
    }

    var all: [RedisArgument] { [tasks, moment] }
}
