/** Of services that were erased, the operation that did it: one that was overtaken by it does not set them up again. */
import { join } from 'node:path'
import { readJsonFile, writeFileAtomically } from '#server/drivers/hosting/local/atomic-file.ts'

export interface ErasedFences {
  /** 0: it was never erased. */
  get(serviceId: number): number
  /** On the disk when it returns. */
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
