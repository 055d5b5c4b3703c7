/** Messages of writes that are stored on the device and not yet sent. */
import type { Problem } from '#contract/problem.ts'
import { i18n } from '#ui/i18n/i18n.ts'
import { problemWords } from '#ui/i18n/problem-messages.ts'

/** `held`: why it has not gone although there is a connection, as the request pipeline says it. */
export function queuedWords({ held }: { held?: { problem: Problem | null; isBehind: boolean } }): string {
  if (!held) return i18n.t(navigator.onLine ? 'queued.savedOnline' : 'queued.saved', { ns: 'ui' })
  if (held.problem?.code === 'SESSION_LAPSED') return i18n.t('queued.lapsed', { ns: 'ui' })
  if (!held.problem) return i18n.t('queued.undecided', { ns: 'ui' })
  const why = problemWords(held.problem)
  return i18n.t(held.isBehind ? 'queued.behind' : 'queued.held', { ns: 'ui', why })
}
