/// One scan of the folder, for commands of the operator. The call blocks.
package struct AppSurvey: Sendable {
    /// The apps with valid files, sorted by name.
    package let apps: [PushApp]
    package let problems: [AppProblem]

    package init(_ configuration: AppsConfiguration) {
        var inventory = AppInventory(configuration)
        _ = inventory.read()
        apps = inventory.apps.sorted { $0.id < $1.id }
        problems = inventory.problems
    }
}
