import CommandKit

extension CommandOption {
    static let requests = CommandOption(
        "--requests", value: "N", meaning: "Number of requests in each run (default: 100000)")
    static let python = CommandOption(
        "--python", value: "FILE", meaning: "Python with pywebpush (default: .venv/bin/python, or else python3)")
    static let services = CommandOption(
        "--services", value: "N", meaning: "Number of push services, some of them dead (default: 4096)")
    static let rounds = CommandOption("--rounds", value: "N", meaning: "Number of rounds (default: 3)")
    static let devices = CommandOption(
        "--devices", value: "N", meaning: "Number of devices (default: 200000; 1000000 for a broadcast)")
}

extension CommandArguments {
    func requests() throws(UsageError) -> Int {
        try integer(.requests, default: 100_000, in: 1_000...500_000)
    }

    func rounds() throws(UsageError) -> Int {
        try integer(.rounds, default: 3, in: 1...100)
    }

    /// Devices of a broadcast.
    func audience() throws(UsageError) -> Int {
        try integer(.devices, default: 1_000_000, in: 100...10_000_000)
    }
}
