import { useState } from 'react'
import { localProblem } from '#contract/problem.ts'
import type { DownloadedFile, Result } from '#request/results.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { useDispatch } from '#state/hooks.ts'
import { saveBytes } from '#ui/display/download-text.ts'
import { problemWords } from '#ui/i18n/problem-messages.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { filtersOf, type View } from '#features/audit-trail/list/list-url.ts'

export type Format = 'csv' | 'xlsx'

const fetchExport =
  (format: Format, view: View): AppThunk<Result<DownloadedFile>> =>
  async (_dispatch, _getState, { trails }) => {
    const [sortField, sortOrder] = view.sort
    const asked = { query: { format, sortField, sortOrder, ...filtersOf(view) } }
    // Code that cannot be fetched is as out of reach as the server.
    const port = await trails().catch(() => null)
    return port ? port.download(asked) : { kind: 'problem', problem: localProblem('OFFLINE') }
  }

/** Exactly what is filtered, in the order of the list, as one file: the server's, or without it CSV of what is kept on this device. */
export function useExport(view: View) {
  const { t } = useTranslation('audit')
  const dispatch = useDispatch()
  const [busy, setBusy] = useState(false)
  async function save(format: Format) {
    setBusy(true)
    const replaces = t('export.begun')
    showToast({ kind: 'note', text: replaces })
    const result = await dispatch(fetchExport(format, view))
    setBusy(false)
    if (result.kind === 'fresh') {
      const name = result.output.name ?? `audit-trail.${format}`
      saveBytes(result.output.bytes, name)
      showToast({ kind: 'done', text: t('export.done', { name }), replaces })
    } else if (result.kind === 'kept' && result.output) {
      const { bytes, name } = result.output
      saveBytes(bytes, name ?? 'audit-trail.csv')
      const { days } = result
      const text = days ? t('export.keptSince', { name, date: days.from }) : t('export.kept', { name })
      showToast({ kind: days ? 'note' : 'done', text, replaces })
    } else if (result.kind === 'problem')
      showToast({ kind: 'failed', text: `${t('export.failed')} ${problemWords(result.problem)}`, replaces })
  }
  return { busy, save: (format: Format) => void save(format) }
}
