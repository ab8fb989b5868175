import CommandKit
import RedisClient
import ServiceKit

/// Variables with which imports find their source.
struct ImportVariables {
    private static let redisName = "CARILLON_IMPORT_REDIS"

    private let redis: String?
    private let password: Secret?

    init(environment: inout EnvironmentReader) {
        redis = environment.optionalText(
            ImportVariables.redisName, meaning: "Redis of the pushd that carillon import reads.")
        password = environment.secret(
            "CARILLON_IMPORT_REDIS_PASSWORD", meaning: "The password of that Redis; it overrides one in the URL.")
    }

    init(_ context: CommandContext) throws(ConfigurationError) {
        var reader = EnvironmentReader(context.variables)
        self.init(environment: &reader)
        try reader.finish()
    }

    /// The files for TLS are those of Carillon's own Redis.
    func source(_ given: String?, like own: RedisConfiguration) throws(UsageError) -> RedisConfiguration {
        guard let url = given ?? redis else {
            throw UsageError("--redis URL or \(ImportVariables.redisName) is required: pushd's Redis")
        }
        do throws(RedisError) {
            var source = try RedisConfiguration(url: url)
            source.password = password ?? source.password
            if source.tls != nil { source.tls = own.tlsFiles }
            return source
        } catch {
            throw UsageError("--redis: \(error.message); expected redis://HOST:PORT/DATABASE")
        }
    }
}
