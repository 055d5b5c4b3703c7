import { changedBy, currentIn } from '#contract/conflict.ts'
import type { EntryView } from '#local/outbox/read-entries.ts'
import { useSignedIn } from '#state/hooks.ts'
import { problemWords } from '#ui/i18n/problem-messages.ts'
import { useTranslation } from 'react-i18next'

/** Why an entry waits for its user: the same sentence in its toast and on its page. */
export function useTroubleText(): (entry: Pick<EntryView, 'state' | 'problem'>) => string {
  const { t } = useTranslation('outbox')
  const { user } = useSignedIn()
  return ({ state, problem }) => {
    if (problem?.code === 'TOO_OLD') return t('old')
    if (state !== 'conflict') return problem ? problemWords(problem) : ''
    if (!currentIn(problem)) return t('conflictGone')
    const by = changedBy(problem)
    if (by?.id === user.id) return t('conflictOwn')
    return by ? t('conflictBy', { who: by.name }) : t('conflict')
  }
}
