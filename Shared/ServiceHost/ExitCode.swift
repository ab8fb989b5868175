/// Exit codes, as in `sysexits.h` where one is defined.
package enum ExitCode {
    package static let failure: Int32 = 1
    package static let usage: Int32 = 64
    package static let configuration: Int32 = 78
}
