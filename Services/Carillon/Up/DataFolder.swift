import Apps
import Glibc
import PushModel

/// Folder with all data of one `carillon up`; the next start continues from it.
struct DataFolder: Sendable {
    static let usual = "carillon-data"

    /// Absolute, since its readers may have another working directory.
    let path: String

    /// An existing folder; nil if there is none.
    init?(existing path: String) {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        self.path = String(cString: resolved)
    }

    /// Creates missing folders, accessible to this user only: they contain keys and all devices.
    init(making path: String) throws(UpError) {
        try DataFolder.make(path)
        guard let folder = DataFolder(existing: path) else { throw UpError("cannot find the folder \(path)") }
        self = folder
        for part in [redis, apps, logs, simulator] { try DataFolder.make(part) }
    }

    var redis: String { "\(path)/redis" }
    var apps: String { "\(path)/apps" }
    var logs: String { "\(path)/logs" }
    var simulator: String { "\(path)/simulator" }
    var pepperFile: String { "\(path)/pepper" }
    var lockFile: String { "\(path)/up.lock" }
    var announcementFile: String { "\(path)/up.json" }
    /// Without the ending of the apps' key files, so that no app has the same.
    var exampleKeyFile: String { "\(path)/page-key" }

    var appsConfiguration: AppsConfiguration {
        AppsConfiguration(folder: apps, pepperFile: pepperFile)
    }

    func keyFile(of app: AppID) -> String {
        "\(path)/\(app).key"
    }

    func logFile(of program: String) -> String {
        "\(logs)/\(program).log"
    }

    private static func make(_ path: String) throws(UpError) {
        guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        throw UpError("cannot create the folder \(path): \(String(cString: strerror(errno)))")
    }
}
