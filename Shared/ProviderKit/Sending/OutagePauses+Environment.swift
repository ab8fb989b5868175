package import ServiceKit
package import Store

extension OutagePauses {
    /// The same for all senders, which share an outage.
    package init(environment: inout EnvironmentReader) {
        let first = environment.duration(
            "CARILLON_SENDER_OUTAGE_PAUSE", default: .seconds(15), in: .milliseconds(100) ... .seconds(300),
            meaning: "The first pause of an app's pushes to a provider in an outage; each failed probe doubles it.")
        let longest = environment.duration(
            "CARILLON_SENDER_OUTAGE_PAUSE_LONGEST", default: .seconds(300), in: .milliseconds(100) ... .seconds(3_600),
            meaning: "The longest such pause; never shorter than the first.")
        self.init(first: first, longest: max(first, longest))
    }
}
