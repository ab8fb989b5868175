import Glibc

/// Destination of log lines: standard output in a service, a list in a test.
package protocol LogSink: Sendable {
    func write(line: String)
}

/// One `write` per line, so that lines of several threads never mix.
package struct StandardOutputSink: LogSink {
    package init() {}

    package func write(line: String) {
        // A closed or broken standard output must not stop the service: the line is dropped.
        WholeWrite.write(Array(line.utf8) + [UInt8(ascii: "\n")], to: STDOUT_FILENO)
    }
}

/// JSON lines with time, level, service and trace id; every value is redacted first.
package struct Log: Sendable {
    package var level: LogLevel
    package var traceID: String?
    private let service: String
    private let sink: any LogSink
    private let time: any TimeSource

    package init(
        service: String, level: LogLevel = .info, sink: any LogSink = StandardOutputSink(),
        time: any TimeSource = SystemTimeSource()
    ) {
        self.service = service
        self.level = level
        self.sink = sink
        self.time = time
    }

    /// The same log for work of one trace.
    package func tracing(_ context: TraceContext?) -> Log {
        var copy = self
        copy.traceID = context?.traceID
        return copy
    }

    package func debug(_ message: String, _ facts: KeyValuePairs<LogKey, String> = [:]) {
        emit(.debug, message: message, facts: facts)
    }

    package func info(_ message: String, _ facts: KeyValuePairs<LogKey, String> = [:]) {
        emit(.info, message: message, facts: facts)
    }

    package func warning(_ message: String, _ facts: KeyValuePairs<LogKey, String> = [:]) {
        emit(.warning, message: message, facts: facts)
    }

    package func error(_ message: String, _ facts: KeyValuePairs<LogKey, String> = [:]) {
        emit(.error, message: message, facts: facts)
    }

    private func emit(_ level: LogLevel, message: String, facts: KeyValuePairs<LogKey, String>) {
        guard level >= self.level else { return }
        let line = JSONText.object { line in
            line.member("time", time.now.description)
            line.member("level", level.name)
            line.member("service", service)
            if let traceID { line.member("trace_id", traceID) }
            line.member("message", Redaction.redact(message))
            for (key, value) in facts {
                line.member(key.rawValue, Redaction.redact(value))
            }
        }
        sink.write(line: line)
    }
}
