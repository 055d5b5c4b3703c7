import type { PriceRow } from '#contract/prices.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useDispatch } from '#state/hooks.ts'
import { useTranslation } from 'react-i18next'
import { problemWords } from '#ui/i18n/problem-messages.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { askExport } from '#features/prices/slice.ts'

/** Asks for a key and downloads by it (M152). An empty key is an error (contracts 8). */
export function useExport(): (opened: OverlaidRow<PriceRow>) => void {
  const { t } = useTranslation('prices')
  const dispatch = useDispatch()
  return ({ row }) => void download(row)

  async function download(row: PriceRow) {
    const result = await dispatch(askExport(row.id))
    const key = 'output' in result ? result.output : null
    if (key) fetchFile(`/public/template/price/${key}`)
    else
      showToast({
        kind: 'failed',
        text: result.kind === 'problem' ? `${t('export.failed')} ${problemWords(result.problem)}` : t('export.none'),
      })
  }
}

/** As a download and not as a way to another page, which one that fails would be. Its name is the server's (M55). */
function fetchFile(href: string) {
  const link = Object.assign(document.createElement('a'), { href, download: '' })
  link.click()
}
