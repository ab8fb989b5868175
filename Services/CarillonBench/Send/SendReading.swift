/// Time and resources for a number of requests.
struct SendReading: Sendable {
    let requests: Int
    let seconds: Double
    let cpuSeconds: Double

    var rate: Double { Double(requests) / seconds }
    var cpuSecondsPer100k: Double { cpuSeconds / Double(requests) * 100_000 }
}
