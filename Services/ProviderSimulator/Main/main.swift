import ProviderSimulator

await ProviderSimulator.main()
