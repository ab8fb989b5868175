import Glibc
import ServiceKit
import Synchronization
import TLSSocket

/// Paths of the PEM files with a server's certificate and its private key.
package struct TLSFiles: Sendable, Equatable {
    package let certificate: String
    package let privateKey: String

    package init(certificate: String, privateKey: String) {
        self.certificate = certificate
        self.privateKey = privateKey
    }
}

/// A server's certificate, reloaded when its files change: certificates are replaced every few weeks, and connections
/// should not end for it.
final class ServerIdentity: Sendable {
    /// A file's modification time and identity: a replaced link leads to another file.
    private struct Stamp: Equatable {
        let file: ino_t
        let seconds: Int
        let nanoseconds: Int

        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            file = status.st_ino
            seconds = status.st_mtim.tv_sec
            nanoseconds = status.st_mtim.tv_nsec
        }
    }

    private struct State {
        var context: TLSContext
        var stamps: [Stamp?]
        var nextLook: Duration
    }

    private static let lookInterval = Duration.seconds(5)
    private static let protocols = ["h2", "http/1.1"]
    private let files: TLSFiles
    private let name: String
    private let log: Log
    private let state: Mutex<State>

    init(_ files: TLSFiles, of name: String, log: Log) throws(HTTPServerError) {
        self.files = files
        self.name = name
        self.log = log
        let stamps = ServerIdentity.stamps(of: files)
        do throws(TLSSocketError) {
            let context = try ServerIdentity.load(files)
            state = Mutex(State(context: context, stamps: stamps, nextLook: .zero))
        } catch {
            throw HTTPServerError(.identityInvalid, message: error.message)
        }
    }

    var context: TLSContext { state.withLock { $0.context } }

    /// If the new pair is invalid, the last one stays in use.
    func reloadIfChanged(now: Duration) {
        let isDue = state.withLock { state in
            guard now >= state.nextLook else { return false }
            state.nextLook = now + ServerIdentity.lookInterval
            return true
        }
        guard isDue else { return }
        let stamps = ServerIdentity.stamps(of: files)
        let isChanged = state.withLock { state in
            defer { state.stamps = stamps }
            return state.stamps != stamps
        }
        guard isChanged else { return }
        do throws(TLSSocketError) {
            let context = try ServerIdentity.load(files)
            state.withLock { $0.context = context }
            log.info("certificate replaced", [.server: name])
        } catch {
            log.error("new certificate invalid; keeping the last valid one", [.server: name, .error: error.message])
        }
    }

    private static func stamps(of files: TLSFiles) -> [Stamp?] {
        [Stamp(files.certificate), Stamp(files.privateKey)]
    }

    private static func load(_ files: TLSFiles) throws(TLSSocketError) -> TLSContext {
        var configuration = TLSServerConfiguration(
            certificateFile: files.certificate, privateKeyFile: files.privateKey)
        configuration.applicationProtocols = protocols
        configuration.savesMemory = true
        return try TLSContext(configuration)
    }
}
