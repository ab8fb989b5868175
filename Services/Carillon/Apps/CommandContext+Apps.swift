import Apps
import CommandKit
import ServiceKit

extension CommandContext {
    /// Location of the apps; the commands about apps need no bus.
    func apps() throws(ConfigurationError) -> AppsConfiguration {
        var reader = EnvironmentReader(variables)
        let apps = AppsConfiguration(environment: &reader, reading: Set(AppSecret.allCases))
        try reader.finish()
        return apps
    }
}
