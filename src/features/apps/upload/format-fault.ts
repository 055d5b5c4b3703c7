import type { Problem } from '#contract/problem.ts'
import { type ConflictReason, type MappFault, toDisplayName } from '#domain/catalogue/mapp.ts'
import { i18n } from '#ui/i18n/messages.ts'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import type { PackageRow } from '#features/apps/upload/upload-entry.ts'

export const formatFault = ({ code, named: fileName = '' }: MappFault): string =>
  i18n.t(`fault.${code}`, { ns: 'apps', replace: { named: toDisplayName(fileName) } })

/** Returns why a version conflicts (D79). */
export const formatConflict = (
  reason: ConflictReason,
  { version, min_version_required: minVersion }: PackageRow,
  current: string,
) => i18n.t(`conflict.${reason}`, { ns: 'apps', replace: { version, from: minVersion ?? '', current } })

const refusalReasons = ['gone', 'status', 'twice'] as const

/** Returns why nothing was published. The server checks its current catalogue, which may have changed. */
export function formatPublishProblem(problem: Problem): string {
  const { why: reason } = (problem.data ?? {}) as { why?: unknown }
  const knownReason =
    problem.code === 'STATE_CONFLICT' ? refusalReasons.find((candidate) => candidate === reason) : undefined
  return knownReason ? i18n.t(`publish.refused.${knownReason}`, { ns: 'apps' }) : formatProblem(problem)
}
