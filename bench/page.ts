import type { Bench } from './figures.ts'
export const page: Bench = { ids: [], measure: async () => [] }
