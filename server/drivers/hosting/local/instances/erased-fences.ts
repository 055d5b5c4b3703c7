/** Stores the fences of operations that erased services. An outdated operation must not create an erased service again. */
import { join } from 'node:path'
import { readJsonFile, writeFileAtomically } from '#server/drivers/hosting/atomic-file.ts'

export interface ErasedFences {
  /** Returns 0 if the service was never erased. */
  get(serviceId: number): number
  /** The fence is durable when this returns. */
  set(serviceId: number, fence: number): void
}

export function openErasedFences(folder: string): ErasedFences {
  const path = join(folder, 'erased.json')
  const fences = readJsonFile<Record<string, number>>(path) ?? {}
  return {
    get: (serviceId) => fences[serviceId] ?? 0,
    set(serviceId, fence) {
      if ((fences[serviceId] ?? 0) >= fence) return
      fences[serviceId] = fence
      writeFileAtomically(path, JSON.stringify(fences))
    },
  }
}
