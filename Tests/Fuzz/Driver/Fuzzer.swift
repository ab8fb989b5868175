import Glibc

/// libFuzzer's own main function, callable from Swift.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ argumentCount: UnsafeMutablePointer<Int32>,
    arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// `Fuzz` with the target's name in `CARILLON_FUZZ_TARGET` and libFuzzer's options as arguments.
@main struct Fuzzer {
    static let target: FuzzTarget = {
        let name = getenv("CARILLON_FUZZ_TARGET").map { String(cString: $0) } ?? ""
        guard let target = FuzzTarget(rawValue: name) else {
            let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: " ")
            print("set CARILLON_FUZZ_TARGET to one of: \(names)")
            exit(2)
        }
        return target
    }()

    static func main() {
        var argumentCount = CommandLine.argc
        var arguments = CommandLine.unsafeArgv
        _ = target
        let status = runDriver(&argumentCount, arguments: &arguments) { start, count in
            let bytes = Array(UnsafeBufferPointer(start: start, count: count))
            do {
                try Fuzzer.target.run(bytes)
            } catch {
                // libFuzzer saves the input of a process that dies from a signal.
                fatalError("\(Fuzzer.target.rawValue): \(error)")
            }
            return 0
        }
        exit(status)
    }
}
