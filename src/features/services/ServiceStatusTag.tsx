import type { TFunction } from 'i18next'
import type { ServiceRow } from '#contract/services.ts'
import { Tag, type TagTone } from '#ui/display/Tag.tsx'
import { formatOperationStep } from '#patterns/format-operation-step.ts'
import { formatFault } from '#features/services/fault-texts.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'

type ServiceStatus = ServiceRow['system_status']
type ServiceStateFields = Pick<
  ServiceRow,
  'system_status' | 'online' | 'needs_reboot' | 'newer_apps' | 'fault' | 'deployment_fault' | 'operation'
>

const tones: Record<number, TagTone> = {
  0: 'neutral',
  1: 'accent',
  2: 'positive',
  3: 'accent',
  4: 'neutral',
  5: 'danger',
} satisfies Record<ServiceStatus, TagTone>

const runningStatus = 2

/** Shows the status as a dot with text (D40). A running service that does not respond is shown as a warning. */
export function ServiceStatusTag({
  system_status: status,
  online,
}: Pick<ServiceStateFields, 'system_status' | 'online'>) {
  const { t } = useTranslation('services')
  const tone = status === runningStatus && online === 0 ? 'warning' : (tones[status] ?? 'neutral')
  return <Tag tone={tone}>{t(`status.${status as 0}`)}</Tag>
}

/** Returns the notes next to the status: the current step, then the others, the most severe first. */
export function listNotes(
  {
    system_status: status,
    online,
    needs_reboot: needsReboot,
    newer_apps: newerApps,
    fault,
    deployment_fault: deploymentFault,
    operation,
  }: ServiceStateFields,
  t: TFunction<'services'>,
) {
  const stepText = formatOperationStep(operation, t)
  return [
    ...(stepText === null ? [] : [stepText]),
    ...(fault === null ? [] : [formatFault(fault)]),
    // Rows that an earlier build has stored on the device lack the field.
    ...(deploymentFault ? [t('givenUp.note', { fault: formatFault(deploymentFault) })] : []),
    // A stopped service is expected to be offline.
    ...(status === runningStatus && online === 0 && fault === null ? [t('offline')] : []),
    ...(needsReboot ? [t('needsReboot')] : []),
    ...(newerApps > 0 ? [formatNewerApps(newerApps, t)] : []),
  ]
}

export const formatNewerApps = (count: number, t: TFunction<'services'>): string =>
  t('newerApps', { count, number: formatNumber(count) })

/** Formats memory in MB. 0 means that the platform sets it (D42); null means that no service is running. */
export function formatMemory(memory: number | null, t: TFunction<'services'>): string {
  if (memory === null) return t('capacity.none')
  return memory === 0 ? t('capacity.auto') : t('capacity.megabytes', { number: formatNumber(memory) })
}

/** Formats the number of configured tasks. -1 means that the platform sets it (D42). */
export const formatTasks = (tasks: number, t: TFunction<'services'>): string =>
  tasks === -1 ? t('capacity.auto') : formatNumber(tasks)
