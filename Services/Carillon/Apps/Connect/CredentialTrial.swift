import Apps
import CommandKit
import Glibc
import JSONKit
import PushModel
import ServiceKit

/// A folder with one app that has only the credentials to be tried. Released, it is removed.
struct CredentialTrial: Sendable {
    /// Longer than a sender waits for a token and an answer.
    private static let patience = Duration.seconds(90)

    private let folder: LocalFolder
    private let configuration: AppsConfiguration
    private let app: AppID
    private let provider: String
    private let secretFile: String

    init(_ entry: ProviderEntry, of app: AppID) throws {
        folder = try LocalFolder("connect")
        configuration = AppsConfiguration(folder: "\(folder.path)/apps", secrets: [.apns, .fcm, .huawei, .webpush])
        self.app = app
        provider = entry.provider
        let editor = AppEditor(configuration, now: SystemTimeSource().now)
        try editor.addTrial(app)
        secretFile = try editor.connect(entry, to: app)
    }

    /// Throws if the secret's file, whose content came from `source`, does not contain what it should.
    func checkFile(from source: String) async throws {
        let problems = await onNativeThread("apps") { [configuration] in AppSurvey(configuration).problems }
        guard let problem = problems.first else { return }
        let name = secretFile.split(separator: "/").last.map(String.init) ?? secretFile
        let words = problem.message.split(separator: " ").map { $0.hasSuffix("/\(name)") ? source : String($0) }
        throw UpError("the key cannot be used: \(words.joined(separator: " "))")
    }

    func ask(_ sender: String, variables: [String: String]) async throws -> CredentialVerdict {
        let process = try SiblingProgram(sender).start(
            ["--check", app.text, provider],
            variables: variables.merging(["CARILLON_APPS": configuration.folder]) { $1 })
        guard await process.end(within: CredentialTrial.patience) == .exited(0) else {
            process.signal(SIGKILL)
            throw UpError("\(sender) could not try the key: \(process.lines.first ?? "no output")")
        }
        guard let line = process.lines.last, let verdict = CredentialVerdict(line) else {
            throw UpError("\(sender) did not say whether the key is accepted")
        }
        return verdict
    }
}
