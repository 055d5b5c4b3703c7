/** Of services that were erased, the operation that did it: one that was overtaken by it does not set them up again. */
import { join } from 'node:path'
import { readJsonFile, writeWhole } from '#server/drivers/hosting/local/atomic-file.ts'

export interface ErasedFences {
  /** 0: it was never erased. */
  of(serviceId: number): number
  /** On the disk when it returns. */
  put(serviceId: number, fence: number): void
}

export function openErasedFences(folder: string): ErasedFences {
  const path = join(folder, 'erased.json')
  const fences = readJsonFile<Record<string, number>>(path) ?? {}
  return {
    of: (serviceId) => fences[serviceId] ?? 0,
    put(serviceId, fence) {
      if ((fences[serviceId] ?? 0) >= fence) return
      fences[serviceId] = fence
      writeWhole(path, JSON.stringify(fences))
    },
  }
}
