import { useState } from 'react'
import type { Problem } from '#contract/problem.ts'
import { useDispatch } from '#state/use-store.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { toTimestamps, type ServiceLogRange } from '#features/services/log/log-range.ts'
import { requestLogKey } from '#features/services/slice.ts'

/** Asks for a key and downloads by it (M119). An empty key: there is nothing in that span (contracts 8). Answers whether something came. */
export function useLogDownload(id: number) {
  const { t } = useTranslation('services')
  const dispatch = useDispatch()
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  async function download(range: ServiceLogRange, nextMinute: string): Promise<boolean> {
    setIsBusy(true)
    setProblem(null)
    const result = await dispatch(requestLogKey({ id, ...toTimestamps(range, nextMinute) }))
    setIsBusy(false)
    if (result.kind === 'problem') setProblem(result.problem)
    if (result.kind !== 'fresh') return false
    if (result.output === '') {
      showToast({ kind: 'note', text: t('log.none') })
      return false
    }
    startDownload(`/public/log/${result.output}`)
    return true
  }
  return { isBusy, problem, download }
}

/** As a download and not as a way to another page, which one that fails would be. Its name is the server's (M55). */
function startDownload(href: string) {
  const link = Object.assign(document.createElement('a'), { href, download: '' })
  link.click()
}
