/** State that lasts as long as the worker. Module variables do not, because each file has its own modules (`dom.ts`). */
const globalStates = globalThis as unknown as Record<symbol, { value: unknown }>

/** Returns the state of that name, whose value is null until it is set. */
export const workerWide = <T>(name: string): { value: T | null } =>
  (globalStates[Symbol.for(`portal tests: ${name}`)] ??= { value: null }) as { value: T | null }
