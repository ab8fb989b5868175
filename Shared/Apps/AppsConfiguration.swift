package import ServiceKit

/// Where the apps are and how soon a change of them counts.
package struct AppsConfiguration: Sendable {
    package var folder: String
    package var pepperFile: String
    package var interval: Duration

    package init(folder: String, pepperFile: String? = nil, interval: Duration = .seconds(5)) {
        self.folder = folder
        self.pepperFile = pepperFile ?? "\(folder)/.pepper"
        self.interval = interval
    }

    package init(environment: inout EnvironmentReader) {
        let folder = environment.text(
            "CARILLON_APPS", default: "apps", "The folder with a file NAME.json for each app.")
        let pepperFile = environment.optionalText(
            "CARILLON_PEPPER_FILE",
            "The file with the secret under which keys are hashed; .pepper in the folder of the apps unless set.")
        let interval = environment.duration(
            "CARILLON_APPS_INTERVAL", default: .seconds(5), in: .milliseconds(100) ... .seconds(3_600),
            "How often the folder of the apps is looked through for changes.")
        self.init(folder: folder, pepperFile: pepperFile, interval: interval)
    }
}
