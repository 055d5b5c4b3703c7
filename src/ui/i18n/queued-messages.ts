import type { Problem } from '#contract/problem.ts'
import { i18n } from '#ui/i18n/messages.ts'
import { formatProblem } from '#ui/i18n/problem-messages.ts'

/** `holdReason` is the reason of the request pipeline why the write was not sent although there is a connection. */
export function formatQueuedMessage({
  holdReason,
}: {
  holdReason?: { problem: Problem | null; isBehind: boolean }
}): string {
  if (!holdReason) return i18n.t(navigator.onLine ? 'queued.savedOnline' : 'queued.saved', { ns: 'ui' })
  if (holdReason.problem?.code === 'SESSION_LAPSED') return i18n.t('queued.lapsed', { ns: 'ui' })
  if (!holdReason.problem) return i18n.t('queued.undecided', { ns: 'ui' })
  const reason = formatProblem(holdReason.problem)
  return i18n.t(holdReason.isBehind ? 'queued.behind' : 'queued.held', { ns: 'ui', reason })
}
