import Apps

/// The providers that a pipeline with a simulator sends to itself: those for which an app has credentials that are not
/// the simulator's, as `carillon apps connect` stores them.
struct RealProviders: Sendable, Equatable {
    /// Each with the program that sends to it.
    static let senders = [
        "apns": PipelineService.appleSender, "fcm": PipelineService.androidSender,
        "huawei": PipelineService.androidSender,
    ]
    static let none = RealProviders(names: [])

    /// As in an app file.
    let names: Set<String>

    /// Reads the app files; the call blocks.
    init(in folder: DataFolder) {
        let own = "\(folder.simulator)/"
        let files = AppSurvey(folder.appsConfiguration).apps.flatMap { RealProviders.files(of: $0.providers) }
        names = Set(files.filter { !$0.path.hasPrefix(own) }.map(\.provider))
    }

    private init(names: Set<String>) {
        self.names = names
    }

    private static func files(of providers: ProviderCredentials) -> [(provider: String, path: String)] {
        var files: [(provider: String, path: String)] = []
        switch providers.apns?.proof {
        case .token(let file, _, _), .certificate(let file, _): files.append(("apns", file.path))
        case nil: break
        }
        if let fcm = providers.fcm { files.append(("fcm", fcm.serviceAccountFile.path)) }
        if let huawei = providers.huawei { files.append(("huawei", huawei.clientSecretFile.path)) }
        return files
    }

    /// Without the settings that lead to the simulator of these providers.
    func removed(from variables: [String: String]) -> [String: String] {
        let prefixes = names.map { "CARILLON_\($0.uppercased())_" }
        return variables.filter { name, _ in !prefixes.contains { name.hasPrefix($0) } }
    }

    /// The programs that must start again after a change to `other`.
    func sendersToReplace(for other: RealProviders) -> Set<String> {
        Set(names.symmetricDifference(other.names).compactMap { RealProviders.senders[$0] })
    }
}
