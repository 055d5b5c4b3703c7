import type { Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import type { ServiceRow } from '#contract/services.ts'
import { useLongRequest } from '#state/use-long-request.ts'
import { useTranslation } from 'react-i18next'
import { showToast } from '#ui/overlay/toasts.tsx'
import { failedWords } from '#features/services/problem-words.ts'
import { operate, type Wish } from '#features/services/slice.ts'

interface Ways {
  row: Pick<ServiceRow, 'code'>
  /** The server has taken it: its dialog can go. */
  onStarted: () => void
  /** It came to a good end while its page stood. */
  onDone?: (wish: Wish, intent: Intent) => void
  /** It came to nothing. Returns true where its dialog shows why. */
  onRefused?: (problem: Problem, wish: Wish) => boolean
}

/** One act on a running system; what it comes to is told at the edge of the window. */
export function useOperate({ row, onStarted, onDone, onRefused }: Ways) {
  const { t } = useTranslation('services')
  return useLongRequest<Wish>(
    (wish, intent) => operate(wish, intent, onStarted),
    (result, wish, intent) => {
      if (result.kind === 'problem' && onRefused?.(result.problem, wish)) return
      if (result.kind === 'problem')
        return showToast({ kind: 'failed', text: failedWords(row.code, t(`failed.${wish.kind}`), result.problem) })
      showToast({ kind: 'done', text: t('done.of', { code: row.code, text: t(`done.${wish.kind}`) }) })
      onDone?.(wish, intent)
    },
  )
}
