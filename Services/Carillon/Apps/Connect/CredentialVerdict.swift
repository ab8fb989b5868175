import CommandKit
import JSONKit

/// What a provider said of an app's credentials.
struct CredentialVerdict: Sendable, Equatable {
    enum Word: String, Sendable {
        case accepted
        case refused
        /// The provider could not be asked, or had no time.
        case unknown
    }

    let word: Word
    /// The HTTP status; zero without an answer.
    let status: Int
    let reason: String

    /// Nil if the line is not one of a sender.
    init?(_ line: String) {
        guard let json = try? JSON(line), let word = json["verdict"]?.text.flatMap(Word.init(rawValue:)),
            let status = json.count("status"), let reason = json["reason"]?.text
        else { return nil }
        self.word = word
        self.status = status
        self.reason = VisibleBytes(isRaw: false).line(reason, charactersMaximum: 400)
    }

    var permitsUse: Bool { word != .refused }

    func text(provider: String) -> String {
        let answer = status == 0 ? reason : reason.isEmpty ? "status \(status)" : "status \(status), \(reason)"
        switch word {
        case .accepted where status == 200: return "\(provider) accepts the key"
        case .accepted: return "\(provider) accepts the key (it refused only the made-up device: \(answer))"
        case .unknown: return "warning: \(provider) was not asked about the key: \(answer)"
        case .refused:
            let cure = CredentialVerdict.cure(of: reason).map { "\n\($0)" } ?? ""
            return "carillon: \(provider) refuses the key: \(answer); nothing was changed\(cure)"
        }
    }

    private static func cure(of reason: String) -> String? {
        switch reason {
        case "InvalidProviderToken": "The key, --key-id and --team-id do not belong together, or the key was revoked."
        case "BadEnvironmentKeyInToken":
            "The key is for development devices only: make one for production, or use it with --no-check."
        case "TopicDisallowed", "BadTopic", "MissingTopic": "--topic must be the bundle id of an app of this team."
        case "PERMISSION_DENIED", "SENDER_ID_MISMATCH":
            "The service account must be allowed to send in its project: enable the Firebase Cloud Messaging API there."
        case "NOT_FOUND": "The project does not exist; see --project."
        case "80300002": "The app has no permission to send: enable Push Kit for it."
        default: nil
        }
    }
}
