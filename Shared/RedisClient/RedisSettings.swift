/// Names of the environment variables, for reading them and for error messages.
enum RedisSettings {
    static let url = "CARILLON_REDIS"
    static let password = "CARILLON_REDIS_PASSWORD"
    static let authorityFile = "CARILLON_REDIS_CA_FILE"
    static let certificateFile = "CARILLON_REDIS_CERTIFICATE_FILE"
    static let privateKeyFile = "CARILLON_REDIS_KEY_FILE"
    static let connections = "CARILLON_REDIS_CONNECTIONS"
    static let commandDeadline = "CARILLON_REDIS_COMMAND_DEADLINE"
    static let connectDeadline = "CARILLON_REDIS_CONNECT_DEADLINE"
    static let outstandingBytes = "CARILLON_REDIS_OUTSTANDING_BYTES"
    static let replyBytes = "CARILLON_REDIS_REPLY_BYTES"
    static let durability = "CARILLON_REDIS_DURABILITY"
}
