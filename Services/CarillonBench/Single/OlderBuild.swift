import CommandKit
import Glibc

/// The programs of an older build, for a measure beside this one's.
struct OlderBuild: Sendable {
    /// Those that every build has whose `carillon up` has a simulator. It reports further ones that it lacks.
    private static let programs = [
        "carillon", "provider-simulator", "ingest-api", "targeting-resolver", "renderer", "apns-sender",
        "android-sender", "reporter", "scheduler",
    ]

    let folder: String
    private let option: String

    /// `option` is the name of the option with this value.
    init(_ value: String, option: String) throws(UsageError) {
        self.option = "\(option) \(value)"
        guard let resolved = realpath(value, nil) else {
            throw UsageError("\(self.option): \(String(cString: strerror(errno))); name the folder of an older build")
        }
        defer { free(resolved) }
        let folder = String(cString: resolved)
        let missing = OlderBuild.programs.filter { access("\(folder)/\($0)", X_OK) != 0 }
        guard missing.isEmpty else {
            throw UsageError(
                """
                \(self.option): not in this folder: \(missing.joined(separator: ", ")); build the older commit with \
                `swift build -c release` and name its .build/release
                """)
        }
        self.folder = folder
    }

    /// Starts and stops it, so that one that cannot be measured is found before minutes of measuring.
    func requireStart() async throws {
        do {
            _ = try await LocalHarness(memory: "64MiB", programs: folder)
        } catch {
            throw BenchError("\(option): \(error)")
        }
    }
}
