import { useState } from 'react'
import type { Problem } from '#contract/problem.ts'
import { useDispatch } from '#state/hooks.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { asTimestamps, type LogRange } from '#features/services/log/log-range.ts'
import { askLogKey } from '#features/services/slice.ts'

/** Asks for a key and downloads by it (M119). An empty key: there is nothing in that span (contracts 8). Answers whether something came. */
export function useDownload(id: number) {
  const { t } = useTranslation('services')
  const dispatch = useDispatch()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  async function download(range: LogRange, nextMinute: string): Promise<boolean> {
    setBusy(true)
    setProblem(null)
    const result = await dispatch(askLogKey({ id, ...asTimestamps(range, nextMinute) }))
    setBusy(false)
    if (result.kind === 'problem') setProblem(result.problem)
    if (result.kind !== 'fresh') return false
    if (result.output === '') {
      showToast({ kind: 'note', text: t('log.none') })
      return false
    }
    fetchFile(`/public/log/${result.output}`)
    return true
  }
  return { busy, problem, download }
}

/** As a download and not as a way to another page, which one that fails would be. Its name is the server's (M55). */
function fetchFile(href: string) {
  const link = Object.assign(document.createElement('a'), { href, download: '' })
  link.click()
}
