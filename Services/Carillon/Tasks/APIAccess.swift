import Apps
import HTTPClient
import PushModel
import ServiceKit

/// Where the HTTP API is and with which key it is asked: what was written, else the variables, else the `carillon up`
/// that runs here.
struct APIAccess: Sendable, Equatable {
    static let options = [urlOption, keyOption, keyFileOption, appOption, CommandOption.data]
    static let notes = """
        Address and key are what the options say, else CARILLON_URL and CARILLON_KEY (or CARILLON_KEY_FILE), else those of
        the carillon up that runs in ./\(DataFolder.usual).
        """
    static let usualURL = "http://127.0.0.1:8080"

    private static let urlOption = CommandOption(
        "--url", value: "URL",
        meaning:
            "The HTTP API, in place of CARILLON_URL; that of the carillon up in the data folder, or \(usualURL), unless told."
    )
    private static let keyOption = CommandOption(
        "--key", value: "KEY",
        meaning: "The app's key, in place of CARILLON_KEY. Others can see arguments: prefer the variable or a file.")
    private static let keyFileOption = CommandOption(
        "--key-file", value: "FILE", meaning: "A file that holds the key; that of the carillon up unless told.")
    private static let appOption = CommandOption(
        "--app", value: "NAME", meaning: "Which app is meant, where the key is for several.")

    let url: String
    let key: Secret?
    let app: AppID?
    /// What has to be written to reach the same again, such as ` --url http://…`.
    let words: String

    init(_ arguments: CommandArguments, variables: [String: String]) throws {
        app = try arguments.app(named: arguments.value(APIAccess.appOption))
        let data = arguments.value(.data)
        let running = DataFolder(existing: data ?? DataFolder.usual).flatMap { UpAnnouncement.Summary(of: $0) }
        guard data == nil || running != nil else { throw UpError("no carillon up is running in \(data ?? "")") }
        var reader = EnvironmentReader(variables)
        let named = APIVariables(environment: &reader)
        try reader.finish()
        let given = arguments.value(APIAccess.urlOption) ?? (data == nil ? named.url : nil)
        let url = given ?? running?.url ?? APIAccess.usualURL
        guard url.hasPrefix("http://") || url.hasPrefix("https://") else {
            throw UsageError("\(url) is no address of the API; write it as http://HOST:PORT")
        }
        self.url = url.last == "/" ? String(url.dropLast()) : url
        // The key of a pipeline goes to nobody else.
        let own = running?.url == self.url ? running?.keyFile : nil
        key = try APIAccess.key(arguments, variable: data == nil ? named.key : nil, own: own)
        words = [APIAccess.urlOption, APIAccess.keyFileOption, APIAccess.appOption, .data]
            .map { option in arguments.value(option).map { " \(option.name) \($0)" } ?? "" }.joined()
    }

    /// The API of a pipeline that this program runs itself.
    init(url: String, key: Secret) {
        self.url = url
        self.key = key
        app = nil
        words = ""
    }

    private static func key(_ arguments: CommandArguments, variable: Secret?, own: String?) throws -> Secret? {
        if let key = arguments.value(keyOption) { return Secret(key) }
        if let file = arguments.value(keyFileOption) { return try read(file) }
        if let variable { return variable }
        return try own.map(read)
    }

    static func read(_ file: String) throws(UpError) -> Secret {
        guard let bytes = SmallFile.read(file, bytesMaximum: 4_096) else {
            throw UpError("no readable file at \(file)")
        }
        let text = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
        guard !text.isEmpty else { throw UpError("the file at \(file) is empty") }
        return Secret(text)
    }
}

/// The variables of the commands that ask the HTTP API.
struct APIVariables {
    let url: String?
    let key: Secret?

    init(environment: inout EnvironmentReader) {
        url = environment.optionalText("CARILLON_URL", meaning: "The HTTP API that carillon push, watch and tasks ask.")
        key = environment.secret("CARILLON_KEY", meaning: "The app's key for it.")
    }
}
