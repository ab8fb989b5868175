import PushModel

/// What apps say is theirs alone: identifiers, and the ids of keys.
struct AppClaims {
    private var identifiers: [Dialect: [String: AppID]] = [:]
    private var keys: [String: (app: AppID, hash: [UInt8])] = [:]

    mutating func add(_ app: PushApp) {
        for (dialect, texts) in app.identifiers {
            for text in texts { identifiers[dialect, default: [:]][text] = app.id }
        }
        for credential in app.credentials { keys[credential.id] = (app.id, credential.hash) }
    }

    /// What the app may not have, because another has it.
    func conflicts(of app: PushApp) -> [AppProblem] {
        let file = AppFolder.fileName(of: app.id)
        var conflicts: [AppProblem] = []
        for dialect in Dialect.allCases {
            for text in app.identifiers[dialect] ?? [] {
                guard let owner = identifiers[dialect]?[text] else { continue }
                conflicts.append(
                    .error(
                        file, field: "identifiers.\(dialect.rawValue)",
                        message:
                            "\(text) is claimed by \(AppFolder.fileName(of: owner)) too; take it out of one of the two")
                )
            }
        }
        for credential in app.credentials {
            // The same entry in several files is one key for several apps.
            guard let owner = keys[credential.id], owner.hash != credential.hash else { continue }
            conflicts.append(
                .error(
                    file, field: "credentials",
                    message: """
                        the id \(credential.id) belongs to another key in \(AppFolder.fileName(of: owner.app)); \
                        take it out of one of the two
                        """))
        }
        return conflicts
    }
}
