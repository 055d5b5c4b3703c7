import type { TFunction } from 'i18next'
import type { ServiceRow } from '#contract/services.ts'
import { formatMemory } from '#features/services/ServiceStatusTag.tsx'

type MemoryFields = Pick<ServiceRow, 'task_runtime_memory' | 'running_memory' | 'needs_reboot' | 'operation'>

/**
 * Formats requested and set memory if the platform has set another size than was requested. Returns null if they are equal, or if a reboot or
 * an operation will change the running memory.
 */
export function formatMemoryDifference(
  {
    task_runtime_memory: requestedMemory,
    running_memory: runningMemory,
    needs_reboot: needsReboot,
    operation,
  }: MemoryFields,
  t: TFunction<'services'>,
): string | null {
  if (requestedMemory === 0 || runningMemory === null || needsReboot || operation !== null) return null
  if (runningMemory === requestedMemory) return null
  return t('capacity.different', { requested: formatMemory(requestedMemory, t), set: formatMemory(runningMemory, t) })
}
