/// One look at the folder, for an operator who asks. The call blocks.
package struct AppSurvey: Sendable {
    /// The apps whose files are right, in the order of their names.
    package let apps: [PushApp]
    package let problems: [AppProblem]

    package init(_ configuration: AppsConfiguration) {
        var inventory = AppInventory(configuration)
        _ = inventory.read()
        apps = inventory.apps.sorted { $0.id < $1.id }
        problems = inventory.problems
    }
}
