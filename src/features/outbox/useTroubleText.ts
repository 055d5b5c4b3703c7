import { getLastEditor, getCurrentRow } from '#contract/verdict.ts'
import type { EntryView } from '#local/outbox/read-entries.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { useTranslation } from 'react-i18next'

/** Returns why an entry waits for its user. The toast and the page use the same sentence. */
export function useTroubleText(): (entry: Pick<EntryView, 'state' | 'problem'>) => string {
  const { t } = useTranslation('outbox')
  const { user } = useSignedInSession()
  return ({ state, problem }) => {
    if (problem?.code === 'TOO_OLD') return t('old')
    if (state !== 'conflict') return problem ? formatProblem(problem) : ''
    if (!getCurrentRow(problem)) return t('conflictGone')
    const changer = getLastEditor(problem)
    if (changer?.id === user.id) return t('conflictOwn')
    return changer ? t('conflictBy', { userName: changer.name }) : t('conflict')
  }
}
