import type { Problem } from '#contract/problem.ts'
import { i18n } from '#ui/i18n/messages.ts'
import { formatProblem } from '#ui/i18n/problem-messages.ts'

export const formatFailure = (code: string, failureText: string, problem: Problem): string =>
  i18n.t('failed.why', { ns: 'services', code, failed: failureText, reason: formatProblem(problem) })
