import Glibc

/// Serves mock Kafka brokers to other processes until its standard input ends, so that a killed test leaves nothing
/// running.
///
///     KafkaMock [BROKERS]
@main
struct KafkaMock {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard let brokers = Int32(arguments.first ?? "3"), (1...100).contains(brokers), arguments.count <= 1 else {
            say("error usage: KafkaMock [BROKERS]")
            exit(64)
        }
        guard let cluster = MockCluster(brokers: brokers) else {
            say("error no cluster could be made")
            exit(1)
        }
        say("bootstrap \(cluster.bootstrap)")
        while let line = readLine() {
            guard answer(line, cluster: cluster) else { return }
        }
    }

    /// The parent process reads through a pipe, which would buffer the line.
    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }

    /// False after `quit`.
    private static func answer(_ line: String, cluster: MockCluster) -> Bool {
        guard let command = MockCommand(line) else {
            say("error \(line): expected \(MockCommand.usage)")
            return true
        }
        if let problem = cluster.perform(command) {
            say("error \(line): \(problem)")
        } else {
            say("ok \(line)")
        }
        return command != .quit
    }
}
