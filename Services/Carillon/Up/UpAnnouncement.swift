import Glibc
import JSONKit
import ServiceKit

/// Addresses of a ready pipeline: the line of `carillon up --json`, kept in `up.json` while the pipeline runs.
struct UpAnnouncement: Sendable {
    struct Program: Sendable {
        let name: String
        let url: String
        let admin: String?
        let processID: pid_t?
        let logFile: String
    }

    struct App: Sendable {
        let name: String
        let keyFile: String
    }

    let folder: DataFolder
    let url: String
    /// Where listeners open their streams.
    let stream: String
    /// Nil if it is not served.
    let console: String?
    /// The example of Web Push, if it is served.
    let page: String?
    let redis: String
    let app: App?
    let simulator: SimulatorFacts?
    let programs: [Program]

    var json: String {
        JSONText.object { json in
            json.member("ready", true)
            json.member("pid", Int(getpid()))
            json.member("url", url)
            json.member("stream", stream)
            json.member("console", json: UpAnnouncement.quoted(console))
            json.member("page", json: UpAnnouncement.quoted(page))
            json.member("data", folder.path)
            json.member("redis", redis)
            json.member("apps", folder.apps)
            json.member("pepper_file", folder.pepperFile)
            json.member("app", json: UpAnnouncement.quoted(app?.name))
            json.member("key_file", json: UpAnnouncement.quoted(app?.keyFile))
            json.member("simulator", json: UpAnnouncement.quoted(simulator?.admin))
            json.member("ca_file", json: UpAnnouncement.quoted(simulator?.authorityFile))
            json.member(
                "programs",
                json: JSONText.object { list in
                    for program in programs { list.member(program.name, json: UpAnnouncement.json(program)) }
                })
        }
    }

    private static func json(_ program: Program) -> String {
        JSONText.object { json in
            json.member("url", program.url)
            json.member("admin", json: quoted(program.admin))
            json.member("pid", json: program.processID.map { "\($0)" } ?? "null")
            json.member("log", program.logFile)
        }
    }

    private static func quoted(_ text: String?) -> String {
        text.map { JSONText.quoted($0) } ?? "null"
    }
}

extension UpAnnouncement {
    /// The part of a running `carillon up` that other commands need.
    struct Summary: Equatable {
        let url: String
        /// Both the bus and the store.
        let redis: String
        let keyFile: String?
        /// With an admin port, in the order in which they are announced.
        let services: [Service]

        struct Service: Equatable {
            let name: String
            let admin: String
        }

        /// Nil if none runs in the folder; files that a killed one left there are ignored.
        init?(of folder: DataFolder) {
            guard DataLock.runningHolder(of: folder) != nil,
                let bytes = SmallFile.read(folder.announcementFile, bytesMaximum: 64 << 10),
                let json = try? JSON(bytes), let url = json["url"]?.text, let redis = json["redis"]?.text
            else { return nil }
            self.url = url
            self.redis = redis
            keyFile = json["key_file"]?.text
            services = (json["programs"]?.object?.members ?? []).compactMap { name, program in
                program["admin"]?.text.map { Service(name: name, admin: $0) }
            }
        }
    }
}
