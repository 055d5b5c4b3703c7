import { requestLog } from '#contract/services.ts'
import { downloadFromServer } from '#ui/display/download-text.ts'
import { useAction } from '#state/use-action.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { toTimestamps, type ServiceLogRange } from '#features/services/log/log-range.ts'

/** Downloads the log with a key (M119). `download` returns false if the key is empty, which means that there is no log (contracts 8). */
export function useLogDownload(id: number) {
  const { t } = useTranslation('services')
  const { isBusy, problem, run } = useAction(requestLog)
  async function download(range: ServiceLogRange, nextMinute: string): Promise<boolean> {
    const result = await run({ body: { id, ...toTimestamps(range, nextMinute) } })
    if (result.kind !== 'fresh') return false
    if (result.output === '') showToast({ kind: 'note', text: t('log.none') })
    else downloadFromServer(`/public/log/${result.output}`)
    return result.output !== ''
  }
  return { isBusy, problem, download }
}
