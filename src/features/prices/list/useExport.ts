import type { PriceRow } from '#contract/prices.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useDispatch } from '#state/use-store.ts'
import { useTranslation } from 'react-i18next'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { requestExport } from '#features/prices/slice.ts'

/** Asks for a key and downloads by it (M152). An empty key is an error (contracts 8). */
export function useExport(): (overlaidRow: OverlaidRow<PriceRow>) => void {
  const { t } = useTranslation('prices')
  const dispatch = useDispatch()
  return ({ row }) => void download(row)

  async function download(row: PriceRow) {
    const result = await dispatch(requestExport(row.id))
    const key = 'output' in result ? result.output : null
    if (key) fetchFile(`/public/template/price/${key}`)
    else
      showToast({
        kind: 'failed',
        text: result.kind === 'problem' ? `${t('export.failed')} ${formatProblem(result.problem)}` : t('export.none'),
      })
  }
}

/** As a download and not as a way to another page, which one that fails would be. Its name is the server's (M55). */
function fetchFile(href: string) {
  const link = Object.assign(document.createElement('a'), { href, download: '' })
  link.click()
}
