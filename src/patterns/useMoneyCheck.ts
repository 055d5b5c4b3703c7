import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Problem } from '#contract/problem.ts'
import { runMoneyCheck } from '#contract/staff/refunds.ts'
import { useAction } from '#state/use-action.ts'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { showToast } from '#ui/overlay/toasts.tsx'

/**
 * Runs the check of all money now (decision 123), and says what it found. `onEnd` is called when its result is stored. The texts are those of
 * the checks, which the feature loads.
 */
export function useMoneyCheck(onEnd: () => void): { isBusy: boolean; check: () => void } {
  const { t } = useTranslation('money')
  const [isRunning, setIsRunning] = useState(false)
  const showFailure = ({ problem }: { problem: Problem }) =>
    showToast({ kind: 'failed', text: t('checkFailed', { reason: formatProblem(problem) }) })
  const { isBusy, run } = useAction(runMoneyCheck, {
    onStarted: () => setIsRunning(true),
    onEnd: (result) => {
      setIsRunning(false)
      if (result.kind === 'problem') return showFailure(result)
      if (result.kind !== 'fresh') return
      const count = result.output.faults.length
      showToast({ kind: 'done', text: count === 0 ? t('checkedGood') : t('foundTitle', { count }) })
      onEnd()
    },
  })
  async function check() {
    const result = await run({ body: {} })
    if (result.kind === 'problem') showFailure(result)
  }
  return { isBusy: isBusy || isRunning, check: () => void check() }
}
