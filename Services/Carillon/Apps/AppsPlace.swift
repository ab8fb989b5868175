import Apps
import CommandKit

/// Location of the app files: the data folder of a pipeline, or the folder in CARILLON_APPS.
struct AppsPlace: Sendable {
    static let notes = """
        The apps are those in --data, else in the folder CARILLON_APPS, else those of \(LocalData.description), else
        those in ./\(DataFolder.usual) if that exists, else in ./apps.
        """
    /// Each says by itself which folder it means.
    private static let variables = ["CARILLON_APPS", "CARILLON_PEPPER_FILE"]

    private let arguments: CommandArguments

    init(_ arguments: CommandArguments) {
        self.arguments = arguments
    }

    /// A command about the same apps, for printed lines that users paste.
    func command(_ text: String, in context: CommandContext) -> String {
        let data = arguments.value(.data).map { " --data \(ShellWord.quoted($0))" } ?? ""
        return "\(ShellWord.quoted(context.program)) \(text)\(data)"
    }

    /// The data folder that holds the apps; nil if variables name another place.
    func local(in context: CommandContext) throws -> LocalData? {
        context.isSet(AppsPlace.variables) ? nil : try LocalData(arguments)
    }

    /// The API of the pipeline that uses the apps, as far as it is known.
    func url(in context: CommandContext) throws -> String {
        try local(in: context)?.running?.url ?? APIAccess.usualURL
    }

    /// Creates a missing data folder if `making` is true.
    func configuration(_ context: CommandContext, making: Bool = false) throws -> AppsConfiguration {
        try context.refuse(AppsPlace.variables, beside: .data, of: arguments)
        if making, let data = arguments.value(.data) { return try DataFolder(making: data).appsConfiguration }
        if context.isSet(AppsPlace.variables) { return try context.apps() }
        if let local = try LocalData(arguments) { return local.folder.appsConfiguration }
        guard let usual = DataFolder(existing: DataFolder.usual) else { return try context.apps() }
        return usual.appsConfiguration
    }
}
