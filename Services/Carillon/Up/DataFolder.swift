import Apps
import Glibc
import PushModel

/// Where one `carillon up` keeps everything: a second start goes on from what it finds there.
struct DataFolder: Sendable {
    static let usual = "carillon-data"

    /// Absolute, since its readers may run elsewhere.
    let path: String

    /// A folder that is there already; nil when it is not.
    init?(existing path: String) {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        self.path = String(cString: resolved)
    }

    /// Makes what is missing, for this user alone: keys and every device are in it.
    init(making path: String) throws(UpError) {
        try DataFolder.make(path)
        guard let folder = DataFolder(existing: path) else { throw UpError("the folder \(path) cannot be found") }
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
        throw UpError("the folder \(path) cannot be made: \(String(cString: strerror(errno)))")
    }
}
