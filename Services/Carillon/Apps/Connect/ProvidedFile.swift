import Apps
import CommandKit
import ServiceKit

/// A file with a secret that an option names.
struct ProvidedFile: Sendable {
    let path: String
    private let option: CommandOption

    init(_ option: CommandOption, path: String) {
        self.option = option
        self.path = path
    }

    func read() async throws -> [UInt8] {
        let bytes = await onNativeThread("key-file") {
            SmallFile.read(path, bytesMaximum: ServiceAccount.bytesMaximum)
        }
        guard let bytes else {
            let limit = ByteText.print(ServiceAccount.bytesMaximum)
            throw UsageError("\(option.name) \(path): cannot read it, or it exceeds \(limit)")
        }
        return bytes
    }
}

extension CommandArguments {
    func required(_ option: CommandOption) throws(UsageError) -> String {
        guard let value = value(option) else {
            throw UsageError("\(option.name) \(option.placeholder ?? "") is missing")
        }
        return value
    }
}
