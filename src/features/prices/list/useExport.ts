import { exportPriceList, type PriceRow } from '#contract/prices.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { downloadFromServer } from '#ui/display/download-text.ts'
import { useAction } from '#state/use-action.ts'
import { useTranslation } from 'react-i18next'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { showToast } from '#ui/overlay/toasts.tsx'

/** Downloads a list as a file, using a key from the server (M152). An empty key is an error (contracts 8). */
export function useExport(): (overlaidRow: OverlaidRow<PriceRow>) => void {
  const { t } = useTranslation('prices')
  const { run } = useAction(exportPriceList)
  return ({ row }) => void download(row)

  async function download(row: PriceRow) {
    const result = await run({ body: { id: row.id } })
    const key = 'output' in result ? result.output : null
    if (key) downloadFromServer(`/public/template/price/${key}`)
    else
      showToast({
        kind: 'failed',
        text: result.kind === 'problem' ? `${t('export.failed')} ${formatProblem(result.problem)}` : t('export.none'),
      })
  }
}
