import PushModel
import ServiceKit

/// Registers devices over HTTP as fast as responses arrive, from a few threads with one keep-alive connection each.
struct RegistrationLoad {
    let port: UInt16
    let key: String
    let threads: Int
    let devices: Range<Int>

    /// Returns the seconds for all devices.
    func run() async throws -> Double {
        let next = Monitor(devices.lowerBound)
        let problem = Monitor<String?>(nil)
        let started = Usage.now
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<threads {
                group.addTask {
                    await onNativeThread("load-\(number)") {
                        do {
                            let connection = try LoadConnection(port: port)
                            while let number = take(next) { try connection.post(request(for: SyntheticDevice(number))) }
                        } catch {
                            problem.change { $0 = "\(error)" }
                        }
                    }
                }
            }
        }
        if let text = problem.withLock({ $0 }) { throw BenchError("registering over HTTP: \(text)") }
        return (Usage.now - started).seconds
    }

    private func take(_ next: Monitor<Int>) -> Int? {
        next.change { number in
            guard number < devices.upperBound else { return nil }
            defer { number += 1 }
            return number
        }
    }

    private func request(for device: SyntheticDevice) -> [UInt8] {
        let body =
            "proto=\(device.kind.name)&token=\(device.tokenText)&lang=\(device.language)&badge=\(device.badge)"
            + "&external_user_id=\(device.user)"
        return Array(
            """
            POST /subscribers HTTP/1.1\r
            Host: 127.0.0.1\r
            Authorization: Bearer \(key)\r
            Content-Type: application/x-www-form-urlencoded\r
            Content-Length: \(body.utf8.count)\r
            \r
            \(body)
            """.utf8)
    }
}
