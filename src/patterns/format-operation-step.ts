import type { TFunction } from 'i18next'
import type { ServiceRow } from '#contract/services.ts'
import { findMessage } from '#ui/i18n/messages.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'

type Operation = NonNullable<ServiceRow['operation']>

/**
 * Formats the current step of an operation on a service. Returns null before the first step, for steps that only a newer server has, and
 * for rows that an earlier build has stored on the device. The page must load the messages of services.
 */
export function formatOperationStep(
  operation: (Omit<Operation, 'step'> & Partial<Pick<Operation, 'step'>>) | null,
  t: TFunction<'services'>,
): string | null {
  const { name, healthy, wanted: wantedCount } = operation?.step ?? {}
  if (!name) return null
  if (typeof healthy === 'number' && typeof wantedCount === 'number')
    return t('step.healthCount', {
      count: wantedCount,
      number: formatNumber(wantedCount),
      healthy: formatNumber(healthy),
    })
  return findMessage('services', `step.${name}`)
}
