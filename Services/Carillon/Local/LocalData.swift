import CommandKit

/// The data folder of a pipeline on this machine that a command is about: that of `--data`, else the one in which
/// `carillon up` runs.
struct LocalData {
    /// Where a pipeline is looked for without `--data`: below the user's folder, and where the Debian package keeps it.
    private static let usual = [DataFolder.usual, "/var/lib/carillon"]
    static let places = usual.map { $0.first == "/" ? $0 : "./\($0)" }.joined(separator: " or ")
    static let description = "the carillon up that runs in \(places)"

    let folder: DataFolder
    /// Nil if no pipeline runs there.
    let running: UpAnnouncement.Summary?
    /// True if `--data` names the folder.
    let isNamed: Bool

    /// Nil if `--data` is not given and no pipeline runs.
    init?(_ arguments: CommandArguments) throws(UsageError) {
        if let path = arguments.value(.data) {
            guard let folder = DataFolder(existing: path) else {
                let cure = "carillon up --data \(ShellWord.quoted(path)) creates it"
                throw UsageError("--data \(path): the folder does not exist; \(cure)")
            }
            self.init(folder: folder, running: UpAnnouncement.Summary(of: folder), isNamed: true)
            return
        }
        for folder in LocalData.usual.compactMap({ DataFolder(existing: $0) }) {
            guard let running = UpAnnouncement.Summary(of: folder) else { continue }
            self.init(folder: folder, running: running, isNamed: false)
            return
        }
        return nil
    }

    private init(folder: DataFolder, running: UpAnnouncement.Summary?, isNamed: Bool) {
        self.folder = folder
        self.running = running
        self.isNamed = isNamed
    }

    func summary() throws(UpError) -> UpAnnouncement.Summary {
        guard let running else { throw UpError("no carillon up is running in \(folder.path)") }
        return running
    }
}

extension CommandOption {
    static let data = CommandOption(
        "--data", value: "FOLDER",
        meaning: "Data folder of the carillon up to use (default: of the one that runs in \(LocalData.places))")
}
