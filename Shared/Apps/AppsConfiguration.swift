package import ServiceKit

/// Folder of the apps, the secrets that this process reads, and the interval of reloads.
package struct AppsConfiguration: Sendable {
    package var folder: String
    package var secrets: Set<AppSecret>
    package var pepperFile: String
    package var interval: Duration
    /// Relative to the folder of the apps, beside which each kind of secret has a folder.
    static let secretsFolder = "../secrets"
    static let webPushFolder = "\(secretsFolder)/webpush"

    package init(
        folder: String, secrets: Set<AppSecret> = Set(AppSecret.allCases), pepperFile: String? = nil,
        interval: Duration = .seconds(5)
    ) {
        self.folder = folder
        self.secrets = secrets
        self.pepperFile = pepperFile ?? "\(folder)/.pepper"
        self.interval = interval
    }

    package init(environment: inout EnvironmentReader, reading secrets: Set<AppSecret>) {
        let folder = environment.text(
            "CARILLON_APPS", default: "apps", meaning: "Folder with one file NAME.json per app.")
        // In a process without the pepper the variable is unknown.
        let pepperFile =
            secrets.contains(.pepper)
            ? environment.optionalText(
                "CARILLON_PEPPER_FILE",
                meaning:
                    "The file with the secret under which keys are hashed; by default .pepper in the apps folder."
            )
            : nil
        let interval = environment.duration(
            "CARILLON_APPS_INTERVAL", default: .seconds(5), in: .milliseconds(100) ... .seconds(3_600),
            meaning: "How often the apps folder is checked for changes.")
        self.init(folder: folder, secrets: secrets, pepperFile: pepperFile, interval: interval)
    }
}
