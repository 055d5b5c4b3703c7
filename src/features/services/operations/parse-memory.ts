/** The typed configuration of a service (contracts 5, 9; D42). */
import { configLimits } from '#domain/hosting.ts'

/** -1: set by the platform; 0: stopped. */
export const taskCounts = [-1, 0, 1, 2, 3, 4] as const

/** MB; 0: set by the platform. Thousands separators are allowed. Null: not a valid memory. */
export function parseMemory(typedText: string): number | null {
  const text = typedText.trim().replace(/^(\d),(\d{3})$/, '$1$2')
  if (!/^\d{1,5}$/.test(text)) return null
  const memory = Number(text)
  return memory === 0 || (memory >= configLimits.minMemory && memory <= configLimits.maxMemory) ? memory : null
}
