import HTTPClient
import ProviderKit
import ServiceKit

/// Huawei Push Kit, and the limits for sending to it.
struct HuaweiConfiguration: Sendable {
    var url = "https://push-api.cloud.huawei.com"
    var tokenURL = "https://oauth-login.cloud.huawei.com/oauth2/v3/token"
    /// A PEM file of authorities to trust instead of the system's.
    var authorityFile: String?
    /// Of one app.
    var inFlightMaximum = 4_000
    /// For one request.
    var deadline = Duration.seconds(20)

    init() {}

    init(environment: inout EnvironmentReader) {
        url = environment.secureURL("CARILLON_HUAWEI_URL", default: url, meaning: "Origin of Huawei Push Kit.")
        tokenURL = environment.secureURL(
            "CARILLON_HUAWEI_TOKEN_URL", default: tokenURL, meaning: "Huawei's URL for access tokens.")
        authorityFile = environment.authorityFile("CARILLON_HUAWEI_CA_FILE", of: "Huawei")
        inFlightMaximum = environment.integer(
            "CARILLON_HUAWEI_IN_FLIGHT", default: inFlightMaximum, in: 1...100_000,
            meaning: "Maximum devices of one app in flight to Huawei.")
        deadline = environment.duration(
            "CARILLON_HUAWEI_REQUEST_LIMIT", default: deadline, in: .seconds(1) ... .seconds(30),
            meaning: "Deadline for the answer to one request; without an answer the outcome of its devices is unknown.")
    }

    var window: SendWindow.Settings { SendWindow.Settings(ceiling: inFlightMaximum, patience: .seconds(10)) }

    var client: HTTPClientConfiguration {
        var client = HTTPClientConfiguration(name: "huawei")
        client.authorityFile = authorityFile
        client.deadline = deadline
        return client
    }
}
