import CommandKit

extension CommandTree {
    static let bench = CommandTree(
        "carillon bench", purpose: "measures the pipeline and its parts",
        commands: [
            BenchPipeline.self, BenchSingle.self, BenchOutage.self, BenchSchedule.self, BenchMoments.self,
            BenchActivities.self, BenchAudience.self, BenchBatch.self, BenchHostile.self, BenchIngest.self,
            BenchTasks.self, BenchReceipts.self, BenchEvents.self, BenchStream.self, BenchConsole.self, BenchHTTP.self,
            BenchSend.self, BenchRegistry.self, BenchImport.self, BenchBus.self, BenchLoad.self,
        ],
        // `carillon` has reported the variables that none of its commands reads.
        variables: [])
}
