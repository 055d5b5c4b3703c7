import type { Problem } from '#contract/problem.ts'
import { i18n } from '#ui/i18n/i18n.ts'
import { problemWords } from '#ui/i18n/problem-messages.ts'

/** The sentence over what went wrong with an act on one service, for a message at the edge of the window. */
export const failedWords = (code: string, failed: string, problem: Problem): string =>
  i18n.t('failed.why', { ns: 'services', code, failed, why: problemWords(problem) })
