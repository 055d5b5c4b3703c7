/** What lasts as long as the worker: where its files have modules of their own (`dom.ts`), a module's variable does not. */
const globalStates = globalThis as unknown as Record<symbol, { value: unknown }>

/** The one thing of that name; null until somebody sets it. */
export const workerWide = <T>(name: string): { value: T | null } =>
  (globalStates[Symbol.for(`portal tests: ${name}`)] ??= { value: null }) as { value: T | null }
