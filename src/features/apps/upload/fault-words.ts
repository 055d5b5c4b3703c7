/** What went wrong with packages, in words. */
import type { Problem } from '#contract/problem.ts'
import { type ConflictReason, type MappFault, shownName } from '#domain/catalogue/mapp.ts'
import { i18n } from '#ui/i18n/i18n.ts'
import { problemWords } from '#ui/i18n/problem-messages.ts'
import type { PackageRow } from '#features/apps/upload/upload-entry.ts'

export const faultWords = ({ code, named = '' }: MappFault): string =>
  i18n.t(`fault.${code}`, { ns: 'apps', replace: { named: shownName(named) } })

/** Why a version conflicts (D79). */
export const conflictWords = (
  why: ConflictReason,
  { version, min_version_required: from }: PackageRow,
  current: string,
) => i18n.t(`conflict.${why}`, { ns: 'apps', replace: { version, from: from ?? '', current } })

const refusals = ['gone', 'status', 'twice'] as const

/** Why nothing was published: the server looks at the catalogue of that moment. */
export function publishWords(problem: Problem): string {
  const { why } = (problem.data ?? {}) as { why?: unknown }
  const known = problem.code === 'STATE_CONFLICT' ? refusals.find((one) => one === why) : undefined
  return known ? i18n.t(`publish.refused.${known}`, { ns: 'apps' }) : problemWords(problem)
}
