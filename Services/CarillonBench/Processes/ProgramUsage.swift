/// What a program of a pipeline has used.
struct ProgramUsage: Sendable {
    let name: String
    let cpuSeconds: Double
    let memoryBytesPeak: Int

    init(_ name: String, reading: ProcessReading) {
        self.init(name, cpuSeconds: reading.cpuSeconds, memoryBytesPeak: reading.memoryBytesPeak)
    }

    private init(_ name: String, cpuSeconds: Double, memoryBytesPeak: Int) {
        self.name = name
        self.cpuSeconds = cpuSeconds
        self.memoryBytesPeak = memoryBytesPeak
    }

    /// With the CPU time since an earlier reading.
    func since(_ earlier: ProgramUsage) -> ProgramUsage {
        ProgramUsage(name, cpuSeconds: cpuSeconds - earlier.cpuSeconds, memoryBytesPeak: memoryBytesPeak)
    }

    func memoryFigure(_ prefix: String) -> BenchFigure {
        BenchFigure(name: "\(prefix).\(name)", value: Double(memoryBytesPeak) / 1e6, unit: "MB")
    }
}

extension [ProgramUsage] {
    /// Of all together.
    var cpuSeconds: Double { reduce(0) { $0 + $1.cpuSeconds } }
}
