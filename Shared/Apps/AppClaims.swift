import PushModel

/// Values that must be unique among apps: identifiers and key ids.
struct AppClaims {
    private var identifiers: [TaskDialect: [String: AppID]] = [:]
    private var keys: [String: (app: AppID, hash: [UInt8])] = [:]

    mutating func add(_ app: PushApp) {
        for (dialect, texts) in app.identifiers {
            for text in texts { identifiers[dialect, default: [:]][text] = app.id }
        }
        for credential in app.credentials { keys[credential.id] = (app.id, credential.hash) }
    }

    /// The conflicts of the app with apps added before.
    func conflicts(of app: PushApp) -> [AppProblem] {
        let file = AppFolder.fileName(of: app.id)
        var conflicts: [AppProblem] = []
        for dialect in TaskDialect.allCases {
            for text in app.identifiers[dialect] ?? [] {
                guard let owner = identifiers[dialect]?[text] else { continue }
                conflicts.append(
                    .error(
                        file, field: "identifiers.\(dialect.rawValue)",
                        message:
                            "\(text) is also claimed by \(AppFolder.fileName(of: owner)); remove it from one file")
                )
            }
        }
        for credential in app.credentials {
            // The same entry in several files is one key with several apps.
            guard let owner = keys[credential.id], owner.hash != credential.hash else { continue }
            conflicts.append(
                .error(
                    file, field: "credentials",
                    message: """
                        the id \(credential.id) is used by another key in \(AppFolder.fileName(of: owner.app)); \
                        remove it from one file
                        """))
        }
        return conflicts
    }
}
