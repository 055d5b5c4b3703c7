/** Parses the typed configuration of a service (contracts 5, 9; D42). */
import { configLimits } from '#domain/hosting.ts'

/** Choices for the number of tasks. -1 means that the platform sets it; 0 means stopped. */
export const taskCounts = [-1, 0, 1, 2, 3, 4] as const

/** Parses a memory size in MB; 0 means that the platform sets it. A thousands separator is allowed. Returns null if invalid. */
export function parseMemory(typedText: string): number | null {
  const text = typedText.trim().replace(/^(\d),(\d{3})$/, '$1$2')
  if (!/^\d{1,5}$/.test(text)) return null
  const memory = Number(text)
  return memory === 0 || (memory >= configLimits.minMemory && memory <= configLimits.maxMemory) ? memory : null
}
