import Apps
import CommandKit
import HTTPClient
import PushModel
import ServiceKit

/// URL and key of the HTTP API: from the options, else from the variables, else from the `carillon up` that runs
/// here.
struct APIAccess: Sendable, Equatable {
    static let options = [urlOption, keyOption, keyFileOption, appOption, CommandOption.data]
    static let notes = """
        URL and key come from the options, else from CARILLON_URL and CARILLON_KEY (or CARILLON_KEY_FILE), else from
        \(LocalData.description).
        """
    static let usualURL = "http://127.0.0.1:8080"

    private static let urlOption = CommandOption(
        "--url", value: "URL",
        meaning:
            "HTTP API, overrides CARILLON_URL (default: that of the running carillon up, else \(usualURL))"
    )
    private static let keyOption = CommandOption(
        "--key", value: "KEY",
        meaning: "App key, overrides CARILLON_KEY; prefer the variable or a file: other users see arguments")
    private static let keyFileOption = CommandOption(
        "--key-file", value: "FILE", meaning: "File that contains the key (default: that of the running carillon up)")
    private static let appOption = CommandOption(
        "--app", value: "NAME", meaning: "App to act for, if the key is valid for several")

    let url: String
    let key: Secret?
    let app: AppID?
    /// The pipeline on this machine whose API it is; nil for any other.
    let pipeline: UpAnnouncement.Summary?
    /// Completes the error if the API cannot be reached.
    let advice: String
    private let program: String
    /// Options that reach the same API again, such as ` --url http://…`.
    private let words: String

    init(_ arguments: CommandArguments, in context: CommandContext) throws {
        app = try arguments.app(named: arguments.value(APIAccess.appOption))
        let local = try LocalData(arguments)
        let isNamed = local?.isNamed == true
        let running = isNamed ? try local?.summary() : local?.running
        var reader = EnvironmentReader(context.variables)
        let named = APIVariables(environment: &reader)
        try reader.finish()
        let given = arguments.value(APIAccess.urlOption) ?? (isNamed ? nil : named.url)
        let url = given ?? running?.url ?? APIAccess.usualURL
        guard url.hasPrefix("http://") || url.hasPrefix("https://") else {
            throw UsageError("\(url) is not an API URL; expected http://HOST:PORT or https://HOST:PORT")
        }
        self.url = url.last == "/" ? String(url.dropLast()) : url
        advice =
            given == nil && running == nil
            ? "; no carillon up runs in \(LocalData.places): start one, or name it with --data or --url" : ""
        // The key of a local pipeline is sent only to that pipeline.
        pipeline = running?.url == self.url ? running : nil
        key = try APIAccess.key(arguments, variable: isNamed ? nil : named.key, own: pipeline?.keyFile)
        program = context.program
        words = [APIAccess.urlOption, APIAccess.keyFileOption, APIAccess.appOption, .data]
            .map { option in arguments.value(option).map { " \(option.name) \(ShellWord.quoted($0))" } ?? "" }.joined()
    }

    /// The API of a pipeline that this program runs itself.
    init(url: String, key: Secret) {
        self.url = url
        self.key = key
        app = nil
        pipeline = nil
        advice = ""
        program = "carillon"
        words = ""
    }

    /// A command that reaches the same API, for printed lines that users paste.
    func command(_ text: String) -> String {
        "\(ShellWord.quoted(program)) \(text)\(words)"
    }

    private static func key(_ arguments: CommandArguments, variable: Secret?, own: String?) throws -> Secret? {
        if let key = arguments.value(keyOption) { return Secret(key) }
        if let file = arguments.value(keyFileOption) { return try LocalKeyFile.read(file) }
        if let variable { return variable }
        return try own.map(LocalKeyFile.read)
    }
}

/// Variables of the commands that call the HTTP API.
struct APIVariables {
    let url: String?
    let key: Secret?

    init(environment: inout EnvironmentReader) {
        url = environment.optionalText(
            "CARILLON_URL", meaning: "URL of the HTTP API for carillon push, watch, tasks, devices and users.")
        key = environment.secret("CARILLON_KEY", meaning: "App key for the HTTP API.")
    }
}
