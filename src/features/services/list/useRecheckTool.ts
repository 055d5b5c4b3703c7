import { recheckServices } from '#contract/services.ts'
import { useAction } from '#state/use-action.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import type { PageTool } from '#ui/page/PageTools.tsx'
import { useTranslation } from 'react-i18next'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'

/** Returns the tool that checks whether services respond and shows how many do (D53). `companyId` null checks all companies. */
export function useRecheckTool(companyId: number | null, onDone: () => void): PageTool {
  const { t } = useTranslation('services')
  const disabledReason = useUnsendableReason(t('whyNot.offline'))
  const { isBusy, run } = useAction(recheckServices)
  async function handleRecheck() {
    const result = await run({ query: companyId === null ? {} : { companyId } })
    if (result.kind === 'problem')
      return showToast({ kind: 'failed', text: `${t('recheck.failed')} ${formatProblem(result.problem)}` })
    if (result.kind !== 'fresh') return
    const { checked, online } = result.output
    const text = t('recheck.done', { count: checked, number: formatNumber(checked), online: formatNumber(online) })
    showToast({ kind: 'done', text })
    onDone()
  }
  return {
    key: 'recheck',
    label: t('recheck.act'),
    icon: 'pulse',
    isBusy,
    disabledReason,
    onSelect: () => void handleRecheck(),
  }
}
