import CMicroHTTPD
import Glibc
import ServiceKit

/// libmicrohttpd alone, doing the same as `BareHTTP`: a fixed 201 from another thread. Runs until standard input ends.
enum BareMicroHTTPD {
    static func run() -> String? {
        // Never freed: the library needs it while the process runs.
        guard let answer = strdup(BareHTTP.answerText) else { return "no memory" }
        let port = cmicrohttpd_start_bare(answer)
        guard port != 0 else { return "libmicrohttpd did not start" }
        Log(service: "BareLoops", level: .info, sink: StandardOutputSink())
            .info("listening", [.server: "microhttpd", .port: "\(port)"])
        while readLine() != nil {}
        return nil
    }
}
