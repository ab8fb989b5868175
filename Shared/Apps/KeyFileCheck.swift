import Glibc
import ServiceKit
import Signing

/// Checks that key files have the content that their fields require, so that an invalid file is reported when it is
/// installed and not at the first push. A file is read again only if its stamp changed: there may be thousands of
/// files.
struct KeyFileCheck: Sendable {
    /// Expected content of a file.
    enum Content: Sendable, Hashable {
        case appleKey
        case webPushKey
        case certificate
        case certificateKey
        case serviceAccount
        case secret
        case userTokenKey
    }

    private struct Question: Hashable {
        let path: String
        let content: Content
    }

    /// What was found in a file.
    struct Finding {
        var problem: String?
        /// Of a usable `webPushKey`.
        var publicPoint: [UInt8]?
    }

    private struct Stamp: Equatable {
        let device: UInt
        let inode: UInt
        let size: Int
        let changed: [Int]

        init(_ status: stat) {
            device = UInt(status.st_dev)
            inode = UInt(status.st_ino)
            size = Int(status.st_size)
            changed = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
        }
    }

    private static let bytesMaximum = ServiceAccount.bytesMaximum
    private var answers: [Question: (stamp: Stamp, finding: Finding)] = [:]

    /// What is in each file, in the order of `files`. Results of files not in the list are discarded.
    mutating func findings(in files: [PushApp.NamedKeyFile]) -> [Finding] {
        var asked: [Question: (stamp: Stamp, finding: Finding)] = [:]
        defer { answers = asked }
        return files.map { named in
            let (path, content) = (named.file.path, named.content)
            let question = Question(path: path, content: content)
            var status = stat()
            // A file may become readable without a change of its stamp.
            guard access(path, R_OK) == 0, stat(path, &status) == 0 else {
                return Finding(problem: "\(path) cannot be read: \(String(cString: strerror(errno)))")
            }
            let stamp = Stamp(status)
            let known = answers[question].flatMap { $0.stamp == stamp ? $0 : nil }
            let answer = known ?? (stamp, KeyFileCheck.finding(in: path, status: status, content: content))
            asked[question] = answer
            return answer.finding
        }
    }

    private static func finding(in path: String, status: stat, content: Content) -> Finding {
        guard status.st_mode & S_IFMT == S_IFREG else { return Finding(problem: "\(path) is not a regular file") }
        guard let bytes = SmallFile.read(path, bytesMaximum: bytesMaximum) else {
            return Finding(problem: "\(path) cannot be read, or is larger than \(ByteText.print(bytesMaximum))")
        }
        guard content != .webPushKey else { return webPushFinding(OutsideText.replacing(bytes), path: path) }
        return Finding(problem: problem(of: bytes, path: path, content: content))
    }

    private static func webPushFinding(_ text: String, path: String) -> Finding {
        do throws(SigningError) {
            let key = try SigningKey(pem: Secret(text), from: path, for: .es256)
            return Finding(publicPoint: try key.publicPoint())
        } catch {
            return Finding(problem: error.message)
        }
    }

    private static func problem(of bytes: [UInt8], path: String, content: Content) -> String? {
        let text = OutsideText.replacing(bytes)
        switch content {
        case .appleKey, .webPushKey: return signingProblem(text, path: path)
        case .certificate: return marked("CERTIFICATE", text: text, path: path)
        case .certificateKey: return marked("PRIVATE KEY", text: text, path: path)
        case .serviceAccount: return accountProblem(bytes, path: path)
        case .userTokenKey: return userTokenProblem(bytes, path: path)
        case .secret: return text.allSatisfy(\.isWhitespace) ? "\(path) is empty; write the secret into it" : nil
        }
    }

    private static func signingProblem(_ text: String, path: String) -> String? {
        do throws(SigningError) {
            _ = try SigningKey(pem: Secret(text), from: path, for: .es256)
            return nil
        } catch {
            return error.message
        }
    }

    private static func accountProblem(_ bytes: [UInt8], path: String) -> String? {
        do throws(ServiceAccount.FormatError) {
            _ = try ServiceAccount(bytes, file: path)
            return nil
        } catch {
            return error.description
        }
    }

    private static func userTokenProblem(_ bytes: [UInt8], path: String) -> String? {
        guard UserTokenKey(fileContent: bytes) == nil else { return nil }
        return "\(path) has fewer than \(UserTokenKey.bytesMinimum) bytes; write a random secret into it"
    }

    private static func marked(_ label: String, text: String, path: String) -> String? {
        text.contains("\(label)-----") ? nil : "\(path) contains no PEM \(label.lowercased())"
    }
}

extension PushApp {
    /// A key file that the app refers to.
    struct NamedKeyFile {
        let file: KeyFile
        let secret: AppSecret
        let content: KeyFileCheck.Content
    }

    var keyFiles: [NamedKeyFile] {
        var files: [NamedKeyFile] = []
        switch providers.apns?.proof {
        case .token(let keyFile, _, _):
            files.append(NamedKeyFile(file: keyFile, secret: .apns, content: .appleKey))
        case .certificate(let file, let keyFile):
            files.append(NamedKeyFile(file: file, secret: .apns, content: .certificate))
            if let keyFile { files.append(NamedKeyFile(file: keyFile, secret: .apns, content: .certificateKey)) }
        case nil: break
        }
        if let fcm = providers.fcm {
            files.append(NamedKeyFile(file: fcm.serviceAccountFile, secret: .fcm, content: .serviceAccount))
        }
        if let huawei = providers.huawei {
            files.append(NamedKeyFile(file: huawei.clientSecretFile, secret: .huawei, content: .secret))
        }
        files += webKeyFiles
        if let userTokenKeyFile {
            files.append(NamedKeyFile(file: userTokenKeyFile, secret: .users, content: .userTokenKey))
        }
        for file in [
            report?.authorizationFile, report?.signingKeyFile, webhook?.secretFile, webhook?.signingKeyFile,
        ] {
            if let file { files.append(NamedKeyFile(file: file, secret: .report, content: .secret)) }
        }
        return files
    }

    /// Of the providers that web-sender sends to.
    private var webKeyFiles: [NamedKeyFile] {
        let mpns = providers.mpns
        let files: [(KeyFile?, AppSecret, KeyFileCheck.Content)] = [
            (providers.webpush?.keyFile, .webpush, .webPushKey), (providers.wns?.clientSecretFile, .wns, .secret),
            (mpns?.certificateFile, .mpns, .certificate), (mpns?.certificateKeyFile, .mpns, .certificateKey),
            (providers.http?.signingKeyFile, .http, .secret),
        ]
        return files.compactMap { file, secret, content in
            file.map { NamedKeyFile(file: $0, secret: secret, content: content) }
        }
    }
}
