import type { Problem } from '#contract/problem.ts'
import { serviceFaults } from '#contract/services.ts'
import { formatFault } from '#features/services/fault-texts.ts'
import { i18n } from '#ui/i18n/messages.ts'
import { formatProblem } from '#ui/i18n/problem-messages.ts'

export const formatFailure = (code: string, failureText: string, problem: Problem): string =>
  i18n.t('failed.why', { ns: 'services', code, failed: failureText, reason: formatReason(problem) })

/** An operation that the host gave up names the fault of the service as its reason. */
function formatReason(problem: Problem): string {
  const reason = (problem.data as { why?: unknown } | null)?.why
  const fault = problem.code === 'STATE_CONFLICT' ? serviceFaults.find((candidate) => candidate === reason) : undefined
  return fault ? i18n.t('failed.fault', { ns: 'services', fault: formatFault(fault) }) : formatProblem(problem)
}
