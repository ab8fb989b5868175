import Glibc

/// Serves pretended Kafka brokers to other processes until its standard input ends, so that a test that was killed
/// leaves nothing running.
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

    /// Whoever started this reads through a pipe, where a line would wait for others.
    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }

    /// False when it was told to end.
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
