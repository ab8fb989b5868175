import CarillonBench

await CarillonBench.main()
