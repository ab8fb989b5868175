import Apps
import CommandKit

/// Location of the app files: the data folder of a `carillon up`, or the folder in CARILLON_APPS.
struct AppsPlace: Sendable {
    static let option = CommandOption(
        "--data", value: "FOLDER",
        meaning: "Data folder of a carillon up; overrides CARILLON_APPS")

    private let data: String?

    init(_ arguments: CommandArguments) {
        data = arguments.value(AppsPlace.option)
    }

    /// Creates a missing data folder if `making` is true.
    func configuration(_ context: CommandContext, making: Bool = false) throws -> AppsConfiguration {
        guard let data else { return try context.apps() }
        if making { return try DataFolder(making: data).appsConfiguration }
        guard let folder = DataFolder(existing: data) else {
            throw UsageError("folder \(data) does not exist; carillon up --data \(data) creates it")
        }
        return folder.appsConfiguration
    }
}
