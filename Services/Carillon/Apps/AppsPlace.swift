import Apps

/// Which apps a command is about: those of a `carillon up`, or those in the folder that CARILLON_APPS names.
struct AppsPlace: Sendable {
    static let option = CommandOption(
        "--data", value: "FOLDER",
        meaning: "The data folder of a carillon up, in place of the folder that CARILLON_APPS names.")

    private let data: String?

    init(_ arguments: CommandArguments) {
        data = arguments.value(AppsPlace.option)
    }

    /// `making` a data folder that is not there yet.
    func configuration(_ context: CommandContext, making: Bool = false) throws -> AppsConfiguration {
        guard let data else { return try context.apps() }
        if making { return try DataFolder(making: data).appsConfiguration }
        guard let folder = DataFolder(existing: data) else {
            throw UsageError("no folder \(data); carillon up --data \(data) makes it")
        }
        return folder.appsConfiguration
    }
}
