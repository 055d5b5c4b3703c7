/**
 * State that lasts as long as the worker. The values of module variables do not, because modules are loaded again for each file (`dom.ts`).
 */
const globalStates = globalThis as unknown as Record<symbol, { value: unknown }>

/** Returns the state of that name. Its value is null until it is set. */
export const workerWide = <T>(name: string): { value: T | null } =>
  (globalStates[Symbol.for(`portal tests: ${name}`)] ??= { value: null }) as { value: T | null }
