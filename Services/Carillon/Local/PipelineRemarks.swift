import CommandKit

/// What the programs of a running pipeline report about themselves in `/readyz`: why one is not ready, and what else
/// keeps pushes waiting, such as a refused key or the outage of a provider.
enum PipelineRemarks {
    private static let charactersMaximum = 300

    static func all(of pipeline: UpAnnouncement.Summary) async -> [String] {
        let client = ReadinessClient()
        var remarks: [String] = []
        for program in pipeline.services {
            for remark in await client.remarks(at: "\(program.admin)/readyz") {
                let line = VisibleBytes(isRaw: false).line(remark, charactersMaximum: charactersMaximum)
                remarks.append("\(program.name): \(line)")
            }
        }
        await client.close()
        return remarks
    }
}
